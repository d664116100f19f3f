const most_words = 6;

/** A summary is the verb phrase of its operationId: it starts with the same word, capitalised, and has at most 6 words.
    `options.spelled`: first words of operationIds that a summary writes in another way. */
export default function summary(operation, { spelled }) {
  const { operationId, summary } = operation;
  if (typeof operationId !== "string" || typeof summary !== "string") return []; // other rules ask for both
  const faults = [];
  const fault = (message) => faults.push({ message });
  const [verb] = operationId.match(/^[a-z]+/) ?? [""];
  const phrase = spelled[verb] ?? verb[0]?.toUpperCase() + verb.slice(1);
  if (summary !== phrase && !summary.startsWith(`${phrase} `)) fault(`The summary of ${operationId} must start with "${phrase}".`);
  if (summary.split(" ").length > most_words) fault(`The summary of ${operationId} has more than ${most_words} words.`);
  if (/[.:;]$/.test(summary)) fault(`The summary of ${operationId} ends with a punctuation mark.`);
  return faults;
}
