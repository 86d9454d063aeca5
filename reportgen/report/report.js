"use strict";
// Theme: auto follows the system; the choice stays where the browser lets it.
const theme = document.getElementById("theme"), root = document.documentElement;
const themes = ["auto", "dark", "light"];
function setTheme(name) {
  if (name === "auto") delete root.dataset.theme; else root.dataset.theme = name;
  theme.querySelector("span").textContent = name;
}
function stored() { try { return localStorage.getItem("theme"); } catch { return null; } }
theme.hidden = false;
setTheme(themes.includes(stored()) ? stored() : "auto");
theme.addEventListener("click", () => {
  const name = themes[(themes.indexOf(root.dataset.theme || "auto") + 1) % themes.length];
  setTheme(name);
  try { localStorage.setItem("theme", name); } catch { /* a file may not be allowed to keep it */ }
});

// Tables: a click on a head sorts by that column, a second click the other way round; what is absent stays last.
function compare(a, b, i, sign) {
  const x = a.cells[i].dataset.v, y = b.cells[i].dataset.v;
  if (x !== undefined && y !== undefined) return sign * (Number(x) - Number(y));
  if (x !== undefined || y !== undefined) return x !== undefined ? -1 : 1;
  return sign * a.cells[i].textContent.localeCompare(b.cells[i].textContent, "en", {numeric: true});
}
for (const table of document.querySelectorAll("table")) {
  const heads = [...table.tHead.rows[0].cells], body = table.tBodies[0];
  heads.forEach((head, i) => head.querySelector("button").addEventListener("click", () => {
    const up = head.getAttribute("aria-sort") !== "ascending";
    for (const h of heads) h.setAttribute("aria-sort", "none");
    head.setAttribute("aria-sort", up ? "ascending" : "descending");
    body.append(...[...body.rows].sort((a, b) => compare(a, b, i, up ? 1 : -1)));
  }));
}

// Origins: a number shows where it is from while it is pointed at or has the focus; a click keeps it open.
const tip = document.getElementById("tip");
let shown = null, pinned = false, timer = 0;
function show(link) {
  clearTimeout(timer);
  if (shown === link) return;
  hide();
  const origin = document.getElementById(link.hash.slice(1));
  if (!origin) return;
  tip.replaceChildren(...[...origin.childNodes].map((n) => n.cloneNode(true)));
  tip.hidden = false;
  const at = link.getBoundingClientRect(), left = Math.min(at.left, root.clientWidth - tip.offsetWidth - 8);
  const below = at.bottom + 6 + tip.offsetHeight <= innerHeight || at.top < tip.offsetHeight + 6;
  tip.style.left = Math.max(4, left) + scrollX + "px";
  tip.style.top = (below ? at.bottom + 6 : at.top - tip.offsetHeight - 6) + scrollY + "px";
  link.setAttribute("aria-describedby", "tip");
  shown = link;
}
function hide() {
  if (shown) shown.removeAttribute("aria-describedby");
  tip.hidden = true;
  shown = null;
  pinned = false;
}
function later() { clearTimeout(timer); if (!pinned) timer = setTimeout(hide, 250); }
for (const link of document.querySelectorAll("a.n")) {
  link.addEventListener("mouseenter", () => { if (!pinned) show(link); });
  link.addEventListener("focus", () => { if (!pinned) show(link); });
  link.addEventListener("mouseleave", later);
  link.addEventListener("blur", later);
  link.addEventListener("click", (e) => { e.preventDefault(); const same = pinned && shown === link; hide(); if (!same) { show(link); pinned = true; } });
}
tip.addEventListener("mouseenter", () => clearTimeout(timer));
tip.addEventListener("focusin", () => clearTimeout(timer));
tip.addEventListener("mouseleave", later);
document.addEventListener("keydown", (e) => { if (e.key === "Escape") hide(); });
document.addEventListener("click", (e) => { if (pinned && !tip.contains(e.target) && !e.target.closest("a.n")) hide(); });
