import type { Lines } from "@tetrad/client";
import type { Clients } from "../../session/index.ts";
import { tagLines, type Service } from "./model.ts";

/** Requests what a service stores of a user. */
export function exportOf({ auth, feedback, notify, billing }: Clients, service: Service, id: string, signal: AbortSignal): Lines {
  if (service === "auth") return auth.exportMember(id, { signal });
  return { feedback, notify, billing }[service].exportUser(id, { signal });
}

export interface ExportedPart {
  service: Service;
  /** Newline-delimited JSON. */
  text: string;
  lines: number;
  bytes: number;
}

/** Reads an export to its end, and tells the number of lines from time to time. Rejects if the response ends too early. */
export async function readExport(service: Service, lines: Lines, onProgress: (lines: number) => void): Promise<ExportedPart> {
  const { body } = await lines.response();
  const decoder = new TextDecoder();
  const chunks: string[] = [];
  let bytes = 0;
  let count = 0;
  if (body) {
    const reader = body.getReader();
    for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
      bytes += chunk.value.byteLength;
      for (const byte of chunk.value) if (byte === 10) count += 1;
      chunks.push(decoder.decode(chunk.value, { stream: true }));
      onProgress(count);
    }
    chunks.push(decoder.decode());
  }
  return { service, text: chunks.join(""), lines: count, bytes };
}

const type = "application/x-ndjson";

/** The files of an export: one for all services, with the service in each line, or one for each service. */
export function filesOf(parts: readonly ExportedPart[], id: string, together: boolean): { name: string; blob: Blob }[] {
  const base = `user-${id.replace(/[^\w.-]+/g, "_").slice(0, 64)}`;
  if (together) return [{ name: `${base}.ndjson`, blob: new Blob(parts.map(({ text, service }) => tagLines(text, service)), { type }) }];
  return parts.map(({ text, service }) => ({ name: `${base}-${service}.ndjson`, blob: new Blob([text], { type }) }));
}
