/** The service's operations, by group: `new Storepost(address, token).orders.list()`. */

import { createClient, createConfig } from "./generated/client/index.js";
import { Operations } from "./generated/sdk.gen.js";
import { ProblemError } from "./problems.js";
import { type Retries, retrying } from "./retrying.js";

export interface StorepostOptions {
  /** The address of the interface, which ends in `/v1`. */
  baseUrl: string;
  /** An API key, or a session's token. */
  token?: string;
  retries?: Retries;
  /** Replaces the global `fetch`. */
  fetch?: (request: Request) => Promise<Response>;
}

/**
 * A caller of the service. A refused request throws `ProblemError`.
 *
 * A write without an idempotency key gets one, and is retried with it if the service is busy or the
 * network fails, so that it takes effect once.
 */
export class Storepost extends Operations {
  constructor({ baseUrl, token, retries, fetch = globalThis.fetch }: StorepostOptions) {
    const again = retrying((request) => fetch(request), retries);
    const client = createClient(
      createConfig({
        baseUrl,
        auth: token,
        throwOnError: true,
        responseStyle: "data",
        fetch: (input, init) => again(new Request(input, init)),
      }),
    );
    client.interceptors.error.use((error, response: Response | undefined) =>
      response === undefined
        ? error
        : new ProblemError(response.status, error, response.headers.get("request-id") ?? undefined),
    );
    super({ client });
  }
}
