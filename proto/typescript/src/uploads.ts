import type { Fetch } from "./client.js";

/** Options of an upload. */
export interface UploadOptions {
  /** Aborts the upload. */
  signal?: AbortSignal;
  /**
   * Is called when bytes were sent. Browsers report every part. Elsewhere it is called once, when the upload is complete. After a
   * repeated attempt, `sentBytes` begins again.
   */
  onProgress?: (sentBytes: number, totalBytes: number) => void;
}

/** The fields of a file that is uploaded. The client adds the size. */
export type UploadFields<Presign extends { contentType: string; sizeBytes: number }> = Omit<Presign, "contentType" | "sizeBytes"> & {
  /** Media type. Default: the type of the file. */
  contentType?: Presign["contentType"];
};

/** The body of a request that presigns a file. */
export function presignBody<Presign extends { contentType: string; sizeBytes: number }>(fields: UploadFields<Presign>, file: Blob): Presign {
  return { contentType: file.type, ...fields, sizeBytes: file.size } as unknown as Presign;
}

/** Adds a file to requests. Only XMLHttpRequest, which only browsers have, reports the progress. */
export function uploader(fetch: Fetch, file: Blob, onProgress: UploadOptions["onProgress"]): Fetch {
  if (onProgress !== undefined && typeof XMLHttpRequest === "function") return (request) => sendByXhr(request, file, onProgress);
  return async (request) => {
    const response = await fetch(new Request(request, { body: file }));
    if (response.ok) onProgress?.(file.size, file.size);
    return response;
  };
}

/** Sends a request like `fetch`. Redirects are followed. */
function sendByXhr(request: Request, file: Blob, onProgress: (sentBytes: number, totalBytes: number) => void): Promise<Response> {
  return new Promise((resolve, reject) => {
    const xhr = new XMLHttpRequest();
    xhr.open(request.method, request.url);
    request.headers.forEach((value, name) => xhr.setRequestHeader(name, value));
    xhr.upload.onprogress = ({ loaded }) => onProgress(loaded, file.size);
    xhr.onload = () => resolve(new Response(xhr.responseText || null, { status: xhr.status, headers: headersOf(xhr) }));
    xhr.onerror = () => reject(new TypeError("the network failed"));
    xhr.onabort = () => reject(request.signal.reason);
    request.signal.addEventListener("abort", () => xhr.abort(), { once: true });
    xhr.send(file);
  });
}

function headersOf(xhr: XMLHttpRequest): Headers {
  const headers = new Headers();
  for (const line of xhr.getAllResponseHeaders().trim().split("\r\n")) {
    const colon = line.indexOf(":");
    if (colon > 0) headers.append(line.slice(0, colon), line.slice(colon + 1).trim());
  }
  return headers;
}
