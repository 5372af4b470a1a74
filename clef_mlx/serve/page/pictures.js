// Pictures dropped, pasted or picked: data URLs with previews. They stay in this tab.

const panel = document.querySelector("#state-panel");
const thumbnails = document.querySelector("#thumbnails");
const picker = document.querySelector("#files");
let pictures = []; // {name, type, url}
let heard = () => {};

export const readPictures = () => pictures;

export function clearPictures() {
  pictures = [];
  draw();
}

export const pictureAt = (index) => thumbnails.children[index]?.querySelector("button") ?? null;

export function watchPictures(changed) {
  heard = changed;
  document.querySelector("#pick").addEventListener("click", () => picker.click());
  picker.addEventListener("change", () => {
    take(picker.files);
    picker.value = ""; // the same file may be picked again
  });
  document.addEventListener("paste", (event) => {
    if (take(event.clipboardData.files)) event.preventDefault();
  });
  watchDrops();
}

function watchDrops() {
  const holdsFiles = (event) => event.dataTransfer.types.includes("Files");
  const light = (on) => panel.classList.toggle("dropping", on);
  // A file that misses the panel must not replace the page.
  for (const type of ["dragover", "drop"]) document.addEventListener(type, (event) => holdsFiles(event) && event.preventDefault());
  panel.addEventListener("dragover", (event) => light(holdsFiles(event)));
  panel.addEventListener("dragleave", (event) => panel.contains(event.relatedTarget) || light(false));
  panel.addEventListener("drop", (event) => {
    light(false);
    take(event.dataTransfer.files);
  });
}

// Reads the pictures among `files`, in their order; returns how many there are.
function take(files) {
  const found = [...files].filter((file) => file.type.startsWith("image/"));
  Promise.all(found.map(readFile)).then((read) => {
    pictures = [...pictures, ...read];
    draw();
    heard();
  });
  return found.length;
}

function readFile(file) {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve({ name: file.name, type: file.type, url: reader.result });
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(file);
  });
}

function draw() {
  thumbnails.replaceChildren(...pictures.map(thumbnail));
}

function thumbnail(picture, index) {
  const item = document.createElement("li");
  item.className = "field";
  const image = document.createElement("img");
  image.src = picture.url;
  image.alt = picture.name;
  const button = document.createElement("button");
  button.type = "button";
  button.className = "icon";
  button.textContent = "×";
  button.setAttribute("aria-label", `Remove picture ${picture.name}`);
  button.addEventListener("click", () => {
    pictures = pictures.filter((other) => other !== picture);
    draw();
    (pictureAt(Math.min(index, pictures.length - 1)) ?? document.querySelector("#pick")).focus();
    heard();
  });
  item.append(image, button);
  return item;
}
