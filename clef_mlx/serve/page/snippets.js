// The request as something to run elsewhere: curl, Python or plain JSON. A key is named, never written out.

import { savedKey } from "./api.js";
import { pairs, toJson, toPython } from "./json.js";
import { readPictures } from "./pictures.js";
import { requestJson } from "./request.js";

const url = () => new URL("v1/systemone", location.href).href;

export function snippet(language, form) {
  return { curl, python, json }[language](form);
}

function json(form) {
  return requestJson(form, readPictures().map((picture) => shortened(picture.url)));
}

// Pictures go beside the request, as files; a shell has no room for them in a line.
function curl(form) {
  const pictures = readPictures();
  const lines = [`curl ${url()}`];
  if (savedKey()) lines.push('-H "Authorization: Bearer $CLEF_MLX_KEY"');
  if (!pictures.length) {
    lines.push("-H 'Content-Type: application/json' --data-binary @- <<'JSON'");
    return `${lines.join(" \\\n  ")}\n${requestJson(form)}\nJSON`;
  }
  const assets = pictures.map((_, index) => [`picture-${index}`, pairs([["type", "image"], ["part", `picture-${index}`]])]);
  lines.push("-F 'request=<-;type=application/json'");
  lines.push(...pictures.map(({ name, type }, index) => `-F 'picture-${index}=@${quoted(name)};type=${type}'`));
  return `${lines.join(" \\\n  ")} <<'JSON'\n${requestJson(form, [], "  ", [["assets", pairs(assets)]])}\nJSON`;
}

function python(form) {
  const pictures = readPictures();
  const lines = ["import httpx", "", `request = ${toPython(requestJson(form, []))}`];
  if (savedKey()) lines.unshift("import os", "");
  if (pictures.length) {
    lines.unshift("import base64", "from pathlib import Path");
    const files = toPython(toJson(pictures.map((picture) => picture.name), ""));
    lines.push(`request["images"] = [base64.b64encode(Path(name).read_bytes()).decode() for name in ${files}]`);
  }
  const key = savedKey() ? ', headers={"Authorization": f"Bearer {os.environ[\'CLEF_MLX_KEY\']}"}' : "";
  lines.push(`response = httpx.post(${JSON.stringify(url())}, json=request, timeout=60${key})`);
  lines.push("print(response.raise_for_status().json())");
  return lines.join("\n");
}

const shortened = (dataUrl) => (dataUrl.length > 120 ? `${dataUrl.slice(0, 80)}…` : dataUrl);
const quoted = (name) => name.replaceAll("'", "'\\''");
