// What pages gain from a script: tables that can be sorted, keys for the next and the previous page. Without it all can be read.
"use strict";

// --- sorting of tables ---------------------------------------------------------------------------------------------------------

function placeOf(row, column) {
  const cell = row.cells[column];
  const number = cell.dataset.value;
  return number === undefined ? cell.textContent.trim() : Number(number);
}

function compare(one, other) {
  const [first, second] = [typeof one, typeof other];
  if (first !== second) return first === "number" ? -1 : 1; // what was not measured comes last
  return first === "number" ? one - other : one.localeCompare(other, "en", { numeric: true });
}

function sortBy(table, head, descending) {
  const column = head.cellIndex;
  for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
  head.setAttribute("aria-sort", descending ? "descending" : "ascending");
  const rows = Array.from(table.tBodies[0].rows);
  rows.sort((one, other) => {
    const [first, second] = [placeOf(one, column), placeOf(other, column)];
    const order = compare(first, second);
    return descending && typeof first === typeof second ? -order : order;
  });
  table.tBodies[0].append(...rows);
}

function sortAnew(table, head) {
  const before = head.getAttribute("aria-sort");
  const largest = head.dataset.better ? head.dataset.better === "higher" : head.classList.contains("number");
  sortBy(table, head, before ? before === "ascending" : largest); // first the better end, or the largest numbers
}

// The head itself sorts; where it leads to what it means, a question mark does instead, and a link to a page stays one.
function makeSortable(table) {
  if (!table.tHead || table.tBodies.length !== 1 || table.tBodies[0].rows.length < 2) return;
  Array.from(table.tHead.rows[0].cells).forEach((head) => {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "sort";
    button.setAttribute("aria-label", "sort by " + head.textContent.trim());
    button.addEventListener("click", () => sortAnew(table, head));
    const link = head.querySelector("a");
    if (!link) button.append(...head.childNodes);
    else if ("explains" in link.dataset) {
      const named = document.createElement("abbr");
      named.title = link.title;
      named.append(...link.childNodes);
      link.textContent = "?";
      link.classList.add("explain");
      link.setAttribute("aria-label", "what " + named.textContent + " means");
      button.append(named, ...Array.from(head.childNodes).filter((node) => node !== link));
      head.prepend(button, " ");
      return;
    }
    head.append(button);
  });
}

// --- forms: fields that say nothing stay out of the address; what filters is folded where there is little room --------------------

function leaveOutEmpty(form) {
  const fields = () => Array.from(form.querySelectorAll("input, select")).filter((field) => field.name);
  form.addEventListener("submit", () => fields().forEach((field) => { field.disabled = field.value === ""; }));
  window.addEventListener("pageshow", () => fields().forEach((field) => { field.disabled = false; }));
}

// --- a report in one file: the title of the view that is shown ----------------------------------------------------------------------

function nameView() {
  const shown = Array.from(document.querySelectorAll("section.page")).find((page) => page.getClientRects().length);
  if (shown) document.title = shown.getAttribute("aria-label") + " · assay";
}

// --- keys: j or → for the next page, k or ← for the previous one ------------------------------------------------------------------

function goBy(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, select, textarea, [contenteditable], .scroll, .text")) return;
  const way = { j: "next", ArrowRight: "next", k: "prev", ArrowLeft: "prev" }[event.key];
  const shown = Array.from(document.querySelectorAll(`a[rel~="${way}"]`)).find((link) => link.getClientRects().length);
  if (way && shown) shown.click();
}

// --- weights of decisions: the ranking as the server computes it, live ---------------------------------------------------------

const quantile = (sorted, share) => {
  const at = (sorted.length - 1) * share, below = Math.floor(at);
  return sorted[below] + (sorted[Math.min(below + 1, sorted.length - 1)] - sorted[below]) * (at - below);
};
const fixed = (number, digits) => (Math.floor(number * 10 ** digits + 0.5 + 1e-9) / 10 ** digits).toFixed(digits);
const alike = (number) => Math.round(number * 1e12) / 1e12;

function shareText(share) {
  if (share > 0 && share < 0.01) return "under 1 %";
  return share > 0.99 && share < 1 ? "over 99 %" : `${fixed(100 * share, 0)} %`;
}

function worthText(value, drawn) {
  if (!drawn.length) return [fixed(value, 2), ""];
  drawn.sort((one, other) => one - other);
  const low = Math.min(quantile(drawn, 0.025), value), high = Math.max(quantile(drawn, 0.975), value);
  const digits = high - low > 1e-9 && high - low < 0.04 - 1e-9 ? 3 : 2;
  return [fixed(value, digits), `[${fixed(low, digits)}, ${fixed(high, digits)}]`];
}

// Worth, resampled worths and share of resamples in which it is first, of each candidate at these shares of the weights.
function weighed(data, shares) {
  const candidates = data.worths.length, criteria = shares.length, size = candidates * criteria;
  const sum = (numbers, from) => shares.reduce((total, share, place) => total + share * numbers[from + place], 0);
  const found = data.worths.map((worths, number) => ({ number, value: alike(sum(worths, 0)), drawn: [], first: 0 }));
  const resamples = data.replicates.length / size;
  for (let row = 0; row < resamples; row += 1) {
    for (const each of found) each.drawn.push(sum(data.replicates, row * size + each.number * criteria));
    const scores = found.map((each) => alike(each.drawn[row])), best = Math.max(...scores);
    const leading = found.filter((each) => scores[each.number] === best);
    for (const each of leading) each.first += 1 / leading.length;
  }
  for (const each of found) each.first = alike(each.first / Math.max(1, resamples));
  return found.sort((one, other) => other.value - one.value || other.first - one.first || one.number - other.number);
}

function showWeighed(section, data) {
  const sliders = Array.from(section.querySelectorAll("input[type=range]"));
  const total = sliders.reduce((sum, slider) => sum + Number(slider.value), 0);
  const shares = total > 0 ? sliders.map((slider) => Number(slider.value) / total) : data.centre;
  sliders.forEach((slider, place) => { slider.nextElementSibling.textContent = `weight ${fixed(Number(slider.value), 0)} → ${fixed(100 * shares[place], 0)} % of all`; });
  const body = section.querySelector("[data-ranking]").tBodies[0];
  const rows = new Map(Array.from(body.rows, (row) => [Number(row.dataset.candidate), row]));
  const placed = weighed(data, shares);
  for (const each of placed) {
    const row = rows.get(each.number), [value, interval] = worthText(each.value, each.drawn);
    const bounds = document.createElement("span");
    bounds.className = "interval";
    bounds.textContent = interval;
    row.querySelector("[data-worth]").replaceChildren(...(interval ? [`${value} `, bounds] : [value]));
    if (interval) row.querySelector("[data-first]").textContent = shareText(each.first);
    body.append(row);
  }
  const name = rows.get(placed[0].number).cells[0].textContent;
  const sure = placed[0].drawn.length ? `, and worth most in ${shareText(placed[0].first)} of resamples` : "";
  section.querySelector("[data-said] b").textContent = `At these weights ${name} is first${sure}.`;
}

// The address follows, so that it can be passed on, and so do the other forms of the page.
function rememberWeights(sliders) {
  const place = new URL(window.location.href);
  for (const slider of sliders) {
    place.searchParams.set(slider.name, slider.value);
    for (const form of document.querySelectorAll("form[method=get]")) {
      if (form === slider.form) continue;
      const held = form.querySelector(`input[type=hidden][name="${slider.name}"]`) ?? document.createElement("input");
      Object.assign(held, { type: "hidden", name: slider.name, value: slider.value });
      form.append(held);
    }
  }
  window.history.replaceState(window.history.state, "", place);
}

function makeWeighable(section) {
  const data = JSON.parse(section.querySelector("script[type='application/json']").textContent);
  for (const hidden of section.querySelectorAll("[data-scripted]")) hidden.hidden = false;
  const sliders = Array.from(section.querySelectorAll("input[type=range]"));
  for (const slider of sliders) {
    slider.addEventListener("input", () => showWeighed(section, data));
    if (slider.form) slider.addEventListener("change", () => rememberWeights(sliders)); // a file has no server to draw it anew
  }
}

// --- parts that are closed at first: whoever is led to one finds it open, and on paper all are -----------------------------------

function openPart() {
  let id = window.location.hash.slice(1);
  try { id = decodeURIComponent(id); } catch { /* an address that somebody mistyped */ }
  const part = document.getElementById(id)?.closest("details");
  if (part) part.open = true;
}

// --- charts: where there is room beside them, their numbers stand there ----------------------------------------------------------

const SHORT = 20; // rows that are read at a glance
function openNumbers(figure) {
  const part = figure.querySelector(":scope > details"), wide = getComputedStyle(figure).display === "grid";
  if (part && wide && part.querySelectorAll("tbody tr").length <= SHORT) part.open = true;
}

// --- pages that change: what has changed is put in place, and whatever the reader opened or sorted stays so ----------------------

function stateOf(part) {
  return {
    open: Array.from(part.querySelectorAll("details"), (each) => each.open),
    sorted: Array.from(part.querySelectorAll("table"), (table) => {
      const head = table.querySelector("thead [aria-sort]");
      return head && [head.cellIndex, head.getAttribute("aria-sort") === "descending"];
    }),
    scrolled: Array.from(part.querySelectorAll(".scroll"), (each) => each.scrollLeft),
  };
}

function bringBack(part, state) {
  part.querySelectorAll("details").forEach((each, place) => { if (place in state.open) each.open = state.open[place]; });
  part.querySelectorAll("table").forEach((table, place) => {
    const [column, descending] = state.sorted[place] ?? [];
    const head = column === undefined ? null : table.tHead?.rows[0].cells[column];
    if (head) sortBy(table, head, descending);
  });
  part.querySelectorAll(".scroll").forEach((each, place) => { each.scrollLeft = state.scrolled[place] ?? 0; });
}

function keepLooking(main) {
  let before = Array.from(main.children, (part) => part.outerHTML);
  const look = async () => {
    const answer = await fetch(window.location.href, { cache: "no-store" });
    if (!answer.ok) return;
    const now = new DOMParser().parseFromString(await answer.text(), "text/html").getElementById("main");
    const parts = Array.from(now.children), old = Array.from(main.children);
    const after = parts.map((part) => part.outerHTML);
    parts.forEach((part, place) => {
      if (after[place] === before[place]) return;
      const state = old[place] && stateOf(old[place]);
      if (old[place]) old[place].replaceWith(part); else main.append(part);
      enhance(part);
      if (state) bringBack(part, state);
    });
    old.slice(parts.length).forEach((part) => part.remove());
    before = after;
    main.dataset.again = now.dataset.again ?? "";
  };
  const again = () => {
    if (main.dataset.again) setTimeout(() => look().catch(() => {}).then(again), 1000 * Number(main.dataset.again)); // a server that is away may come back
  };
  again();
}

// --- beginning --------------------------------------------------------------------------------------------------------------------

function enhance(part) {
  part.querySelectorAll("table[data-sort]").forEach(makeSortable);
  part.querySelectorAll("figure").forEach(openNumbers);
}

document.querySelectorAll("main[data-again]").forEach(keepLooking);
enhance(document);
document.addEventListener("keydown", goBy);
document.querySelectorAll("form[method=get]").forEach(leaveOutEmpty);
if (window.innerWidth < 640) document.querySelectorAll("details.filters").forEach((part) => { part.open = false; });
window.addEventListener("hashchange", nameView);
nameView();
window.addEventListener("hashchange", openPart);
openPart();
document.querySelectorAll(".contents a").forEach((link) => link.addEventListener("click", () => setTimeout(openPart)));
window.addEventListener("beforeprint", () => document.querySelectorAll("details.part").forEach((part) => { part.open = true; }));
document.querySelectorAll("[data-weighing]").forEach(makeWeighable);
