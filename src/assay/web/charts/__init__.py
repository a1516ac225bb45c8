"""Charts: rows -> a Vega-Lite spec -> SVG, with the table of its numbers behind each."""
