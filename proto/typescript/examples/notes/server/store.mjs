// Keeps the notes and the inbox of each user in one JSON file. A real app has a database.
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { settings } from "./settings.mjs";

/** @typedef {{ id: string, title: string, text: string, colour: string, changedAt: string }} Note */
/** @typedef {{ id: string, title: string, body: string, at: string }} InboxItem */
/** @typedef {{ notes: Note[], inbox: InboxItem[] }} UserData */

const file = settings.notesFile;
/** @type {Record<string, UserData>} */
const users = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {};

/** The data of a user. Call `save` after a change. @param {string} userId @returns {UserData} */
export const dataOf = (userId) => users[userId] ?? { notes: [], inbox: [] };

/** Stores the data of a user. @param {string} userId @param {UserData} data */
export function save(userId, data) {
  users[userId] = data;
  write();
}

function write() {
  writeFileSync(`${file}.new`, JSON.stringify(users), { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

/** Deletes the data of a user. @param {string} userId */
export function forget(userId) {
  delete users[userId];
  write();
}
