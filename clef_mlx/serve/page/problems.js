// Messages beside the fields they are about, read out with them, gone when the field is mended.

let count = 0;

export function clearProblems() {
  for (const note of document.querySelectorAll(".problem")) note.remove();
  for (const field of document.querySelectorAll("[aria-invalid]")) unmark(field);
}

// Put a message under `field`, an input or a group.
export function mark(field, message) {
  const note = document.createElement("p");
  note.className = "problem";
  note.id = `problem-${++count}`;
  note.textContent = message;
  (field.closest(".field") ?? field).append(note);
  field.setAttribute("aria-invalid", "true");
  field.setAttribute("aria-describedby", note.id);
  const mended = () => {
    note.remove();
    unmark(field);
  };
  for (const event of ["input", "change"]) field.addEventListener(event, mended, { once: true });
}

function unmark(field) {
  field.removeAttribute("aria-invalid");
  field.removeAttribute("aria-describedby");
}
