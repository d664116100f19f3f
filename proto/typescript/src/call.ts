/** The data of a response, and the response itself. */
export interface WithResponse<T> {
  /** The JSON of the response. */
  data: T;
  /** The response, for its status and headers (`ETag`, `RateLimit`). Its body has been read. */
  response: Response;
}

/**
 * A promise of the JSON that an operation returns. The request has been sent.
 *
 * It rejects with `ApiError` if the service refuses the request, with `ConnectionError` if no response arrives, and with the reason of
 * the signal if that aborts.
 */
export class Call<T> implements Promise<T> {
  readonly #start: () => Promise<WithResponse<T>>;

  /** `start` returns the same promise each time. */
  constructor(start: () => Promise<WithResponse<T>>) {
    this.#start = start;
  }

  /** The data together with the response, for its status and headers. */
  withResponse(): Promise<WithResponse<T>> {
    return this.#start();
  }

  /** As of a promise. */
  then<Done = T, Failed = never>(
    done?: ((value: T) => Done | PromiseLike<Done>) | null,
    failed?: ((reason: unknown) => Failed | PromiseLike<Failed>) | null,
  ): Promise<Done | Failed> {
    return this.#start()
      .then(({ data }) => data)
      .then(done, failed);
  }

  /** As of a promise. */
  catch<Failed = never>(failed?: ((reason: unknown) => Failed | PromiseLike<Failed>) | null): Promise<T | Failed> {
    return this.then(undefined, failed);
  }

  /** As of a promise. */
  finally(settled?: (() => void) | null): Promise<T> {
    return this.then().finally(settled);
  }

  get [Symbol.toStringTag](): string {
    return "Call";
  }
}
