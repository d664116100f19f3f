import { ConnectionError, TetradError } from "./errors.js";

/** One line of an export. `type` names the kind of object, if the export has several kinds. */
export interface ExportLine {
  type?: string;
  [member: string]: unknown;
}

/**
 * Newline-delimited JSON (NDJSON). Iterate over it with `for await`, which parses one line at a time, so that large exports need
 * little memory. The request is sent when it is first used, and only once. An export that ends too early throws `ConnectionError`.
 */
export class Lines<Line = ExportLine> implements AsyncIterable<Line> {
  readonly #start: () => Promise<Response>;
  readonly #signal: AbortSignal | undefined;

  /** `start` sends the request. `signal` aborts it. */
  constructor(start: () => Promise<Response>, signal?: AbortSignal) {
    let started: Promise<Response> | undefined;
    this.#start = () => (started ??= start());
    this.#signal = signal;
  }

  /** The response, whose body has not been read: for other formats (`format: "csv"`), or to store the text as it is. */
  response(): Promise<Response> {
    return this.#start();
  }

  /** Iterates over the parsed lines. An invalid line throws `TetradError`. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Line, void, undefined> {
    const { body } = await this.#start();
    let number = 0;
    for await (const line of linesOf(body, this.#signal)) {
      number += 1;
      if (line.trim() !== "") yield parsed<Line>(line, number);
    }
  }
}

function parsed<Line>(line: string, number: number): Line {
  try {
    return JSON.parse(line) as Line;
  } catch (cause) {
    throw new TetradError(`Line ${number} of the response is not JSON.`, { cause });
  }
}

/** The lines of a stream of UTF-8 text. The end of the iteration cancels the stream. */
async function* linesOf(stream: ReadableStream<Uint8Array> | null, signal?: AbortSignal): AsyncGenerator<string, void, undefined> {
  if (stream === null) return;
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  try {
    for (;;) {
      const { done, value } = await next(reader, signal);
      const parts = (rest + decoder.decode(value, { stream: !done })).split("\n");
      rest = done ? "" : parts.pop()!;
      yield* parts;
      if (done) return;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

type Chunk = { done: boolean; value?: Uint8Array | undefined };

async function next(reader: ReadableStreamDefaultReader<Uint8Array>, signal?: AbortSignal): Promise<Chunk> {
  try {
    return await reader.read();
  } catch (cause) {
    signal?.throwIfAborted();
    throw new ConnectionError("The response ended too early.", false, { cause });
  }
}
