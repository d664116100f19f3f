/** The value of an environment variable. Throws if it is not set. @param {string} name */
export function setting(name) {
  const value = process.env[name];
  if (!value) throw new Error(`The environment variable ${name} is not set. scripts/example sets it.`);
  return value;
}
