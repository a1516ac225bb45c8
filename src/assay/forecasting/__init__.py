"""What a suite will take before anything is sent: requests, tokens, cost, time, and the width of the intervals."""

from assay.forecasting.planned import Forecast, Total, forecasts, totals

__all__ = ["Forecast", "Total", "forecasts", "totals"]
