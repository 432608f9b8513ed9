/* The keys of the review. Without this file, everything works by links and buttons. */
"use strict";
(() => {
  const one = (selector, from = document) => from.querySelector(selector);
  const settings = one("#keys");
  if (!settings) return;
  const dialog = one("dialog", settings);
  const toggle = one("input", settings);
  const path = location.pathname;
  const rows = [...document.querySelectorAll("[data-row]")];
  let place = rows.length === 1 ? 0 : -1; // of the row that the keys mean
  let rejecting = null; // the button that Enter presses in the reasons
  let isLocked = false; // until the answer to a form is here

  // A browser may refuse to store anything: then the keys are on, and no row is remembered.
  const stored = (name, value, kind = "sessionStorage") => {
    try {
      if (value === undefined) return window[kind].getItem(name) || "";
      window[kind].setItem(name, value);
    } catch { /* it is not needed */ }
    return "";
  };

  const choose = (number) => {
    place = number;
    const row = rows[place];
    const target = one("a[data-key=o], h3[tabindex], a, button", row);
    target.focus({ preventScroll: true });
    row.scrollIntoView({ block: "nearest" });
  };

  /* What a key means: in the row, else on the page; for u, in the message if there is one. */
  const meant = (key) => {
    const selector = `[data-key="${key}"]`;
    const status = key === "u" && one("[role=status]");
    if (status) return one(selector, status);
    const row = document.activeElement.closest("[data-row]") || rows[place];
    const loose = [...document.querySelectorAll(selector)].find((found) => !found.closest("[data-row]"));
    return (row && one(selector, row)) || loose;
  };

  const press = (key) => meant(key)?.click();

  const move = (step) => {
    const to = place + step;
    const page = one(step > 0 ? "a[data-key=j], a[rel=next]" : "a[data-key=k], a[rel=prev]");
    if (rows.length > 1 && rows[to]) return choose(to);
    if (!page) return;
    stored("review-row", `${step > 0 ? 0 : 999} ${path}`);
    page.click();
  };

  /* Reject: the reasons get the focus, and Enter sends. Without reasons, it is sent at once. */
  const reject = () => {
    const button = meant("r");
    if (!button) return;
    const row = button.closest("[data-row]");
    const reasons = (row && one("select[name=reason]", row)) || one("select[name=reason]", button.form || document);
    if (!reasons) return void button.click();
    rejecting = button;
    if (row) place = rows.indexOf(row);
    reasons.focus();
  };

  const filter = () => {
    const form = one("#filters");
    if (!form) return;
    const drawer = one("details", form);
    if (drawer) drawer.open = true;
    one("select, input:not([type=hidden])", form).focus();
  };

  const back = () => {
    if (rejecting || document.activeElement.matches("input, select, textarea")) {
      rejecting = null;
      document.activeElement.blur();
      if (rows[place]) choose(place);
      return;
    }
    const link = one("a[data-key=Escape]");
    const [filters, address, row] = stored("review-list").split(" ");
    if (!link) return;
    if (link.getAttribute("href") !== filters) return link.click();
    stored("review-row", `${row} ${filters.split("?")[0]}`);
    location.assign(address);
  };

  const keys = {
    j: () => move(1),
    k: () => move(-1),
    a: () => press("a"),
    r: reject,
    u: () => press("u"),
    o: () => press("o"),
    x: () => press("x"),
    "/": filter,
    "?": () => dialog.showModal(),
    Escape: back,
  };

  const isField = (element) =>
    element.isContentEditable || element.matches("select, textarea, input:not([type=checkbox], [type=radio])");

  document.addEventListener("keydown", (event) => {
    const { key, target } = event;
    if (event.defaultPrevented || event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.repeat || event.isComposing || toggle.checked === false || dialog.open) return;
    if (isField(target) && key !== "Escape" && !(key === "Enter" && rejecting && !event.shiftKey)) return;
    const action = key === "Enter" ? rejecting && isField(target) && (() => rejecting.click()) : Object.hasOwn(keys, key) && keys[key];
    if (!action) return;
    event.preventDefault();
    if (!isLocked) action();
  });

  document.addEventListener("focusin", ({ target }) => {
    if (rejecting && !isField(target)) rejecting = null;
    const row = target.closest("[data-row]");
    if (row) place = rows.indexOf(row);
    rows.forEach((other, number) => other.toggleAttribute("data-current", number === place));
  });

  document.addEventListener("submit", (event) => {
    if (event.target.method === "dialog") return;
    if (isLocked) return void event.preventDefault();
    isLocked = event.target.method === "post";
    if (isLocked) stored("review-row", `${place} ${path}`);
  });
  // Who comes back does not wait for the answer.
  for (const name of ["pageshow", "focus"]) addEventListener(name, () => { isLocked = false; });
  const list = one("#decide");
  if (list) {
    addEventListener("pagehide", () => stored("review-list", `${list.dataset.list} ${list.elements.next.value} ${place}`));
  }

  toggle.checked = stored("review-keys", undefined, "localStorage") !== "off";
  toggle.addEventListener("change", () => stored("review-keys", toggle.checked ? "on" : "off", "localStorage"));
  one("button[data-open]", settings).addEventListener("click", () => dialog.showModal());
  settings.hidden = false;

  /* After a decision: the row that is now in its place, else the heading, so that a screen reader goes on there.
     On another page of the list: its nearest row. */
  const [number, before] = stored("review-row").split(" ");
  stored("review-row", "");
  if (before === path && rows.length > 1 && number >= 0) choose(Math.min(number, rows.length - 1));
  else if (one("[role=status]")) {
    const heading = one("h1");
    heading.tabIndex = -1;
    heading.focus();
  }
})();
