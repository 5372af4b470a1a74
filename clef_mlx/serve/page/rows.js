// Ordered rows with buttons to move and remove them, and the keys people expect in a list.

// `list` holds the rows; `make` builds an empty one; `changed` hears of every change of order or number.
export function makeRows(list, make, changed) {
  const add = (after = list.lastElementChild) => {
    const row = make();
    if (after) after.after(row);
    else list.append(row);
    changed();
    return row;
  };
  list.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    const row = button?.closest("li");
    // Rows of rows: a click belongs to the innermost list.
    if (row?.parentElement !== list) return;
    if (button.dataset.move) move(row, button.dataset.move), changed(), button.focus();
    if ("remove" in button.dataset) remove(row), changed();
  });
  return add;
}

export function move(row, direction) {
  if (direction === "up") row.previousElementSibling?.before(row);
  else row.nextElementSibling?.after(row);
}

function remove(row) {
  const neighbour = row.nextElementSibling ?? row.previousElementSibling;
  const next = neighbour?.querySelector("input, textarea") ?? row.parentElement.nextElementSibling;
  row.remove();
  next?.focus();
}

// Enter opens the next row, Backspace in an empty one closes it.
export function typeThrough(list, add, changed) {
  list.addEventListener("keydown", (event) => {
    const row = event.target.closest("li");
    if (event.target.tagName !== "INPUT" || event.isComposing) return;
    const bare = !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey;
    if (event.key === "Enter" && bare) {
      event.preventDefault();
      add(row).querySelector("input").focus();
    }
    const empty = [...row.querySelectorAll("input")].every((input) => !input.value);
    if (event.key === "Backspace" && empty && row.previousElementSibling) {
      event.preventDefault();
      const before = row.previousElementSibling.querySelector("input");
      row.remove();
      changed();
      before.focus();
    }
  });
}

export const filled = (input) => input.value.trim() !== "";

// Text areas as tall as their text, where the browser does not do it by itself.
export function fit(area) {
  if (CSS.supports("field-sizing", "content")) return;
  area.style.height = "auto";
  area.style.height = `${area.scrollHeight + 2}px`;
}
