import { schema as satisfies } from "@stoplight/spectral-functions";

/** An example beside a `$ref` satisfies the schema that the reference leads to. Spectral's own rules see the target alone. */
export default function refExample({ example }, options, context) {
  const target = context.path.reduce((at, key) => at?.[key], context.documentInventory.resolved);
  if (target === undefined) return [];
  return satisfies(example, { schema: target, allErrors: true }, { ...context, path: [...context.path, "example"] });
}
