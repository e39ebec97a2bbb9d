/** Sends requests again where that can help, with the idempotency key that makes it safe. */

import { randomUUID } from "node:crypto";

const IDEMPOTENCY_KEY = "idempotency-key";
/** The first wait where the service names none, and the longest: each is twice the last. */
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 8_000;

export interface Retries {
  /** How often a request is sent at most; 5 unless given. */
  attempts?: number;
  /** How long it may take with everything, in milliseconds; 60,000 unless given. */
  milliseconds?: number;
  /** How long one attempt may take, in milliseconds; 30,000 unless given. */
  attemptMilliseconds?: number;
  /** Waits for so many milliseconds. */
  sleep?: (milliseconds: number) => Promise<void>;
}

type Fetch = (request: Request) => Promise<Response>;

/**
 * A `fetch` that retries.
 *
 * A write by a known caller gets an idempotency key unless it has one, the same for each attempt, so
 * that it happens once. What nobody's key makes safe is sent again only where the service says that
 * it did nothing.
 */
export function retrying(fetch: Fetch, retries: Retries = {}): Fetch {
  const { attempts = 5, milliseconds = 60_000, attemptMilliseconds = 30_000 } = retries;
  const sleep = retries.sleep ?? ((time) => new Promise((resolve) => setTimeout(resolve, time)));
  return async (request) => {
    const keyed = withKey(request);
    const until = Date.now() + milliseconds;
    for (let attempt = 1; ; attempt += 1) {
      const answer = await attempted(fetch, keyed, attemptMilliseconds);
      const wait = await waitAfter(answer, attempt, isRepeatable(keyed));
      if (wait === undefined || attempt >= attempts || Date.now() + wait > until) {
        if (answer instanceof Response) return answer;
        throw answer.error;
      }
      await sleep(wait);
    }
  };
}

/** Why no answer came. */
interface NoAnswer {
  error: unknown;
}

async function attempted(
  fetch: Fetch,
  request: Request,
  milliseconds: number,
): Promise<Response | NoAnswer> {
  const signal = AbortSignal.any([request.signal, AbortSignal.timeout(milliseconds)]);
  try {
    return await fetch(new Request(request.clone(), { signal }));
  } catch (error) {
    if (request.signal.aborted) throw error;
    return { error };
  }
}

function withKey(request: Request): Request {
  if (request.method === "GET" || !request.headers.has("authorization")) return request;
  if (request.headers.has(IDEMPOTENCY_KEY)) return request;
  const keyed = new Request(request);
  keyed.headers.set(IDEMPOTENCY_KEY, randomUUID());
  return keyed;
}

function isRepeatable(request: Request): boolean {
  return request.method === "GET" || request.headers.has(IDEMPOTENCY_KEY);
}

/** How many milliseconds to wait before the next attempt; undefined where none would help. */
async function waitAfter(
  answer: Response | NoAnswer,
  attempt: number,
  repeatable: boolean,
): Promise<number | undefined> {
  if (answer instanceof Response) {
    if (!(await mayPass(answer, repeatable))) return undefined;
    const said = answer.headers.get("retry-after") ?? "";
    if (/^[0-9]+$/.test(said)) return Number(said) * 1_000 + Math.random() * 250;
  } else if (!repeatable && !wasRefused(answer.error)) {
    return undefined;
  }
  const longest = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (attempt - 1));
  return longest * (0.5 + Math.random() / 2);
}

/**
 * Whether the same request may be answered otherwise soon.
 *
 * 429 and 503 say that nothing was done. A 5xx that is no problem detail is the gateway's: the
 * request may have been carried out, and only a repeatable one is sent again.
 */
async function mayPass(answer: Response, repeatable: boolean): Promise<boolean> {
  if (answer.status === 429 || answer.status === 503) return true;
  if (answer.status !== 409 && answer.status < 500) return false;
  const code = codeOf(await answer.clone().text());
  if (answer.status === 409) return code === "idempotency_in_progress";
  return repeatable && code === undefined;
}

function codeOf(body: string): unknown {
  try {
    return (JSON.parse(body) as { code?: unknown } | null)?.code;
  } catch {
    return undefined;
  }
}

/** Whether nobody took the connection: then nothing was sent. */
function wasRefused(error: unknown): boolean {
  const cause = error instanceof Error ? (error.cause as { code?: unknown } | undefined) : undefined;
  return cause?.code === "ECONNREFUSED" || cause?.code === "ENOTFOUND";
}
