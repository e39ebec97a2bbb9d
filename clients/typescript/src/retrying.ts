/** Retries requests if that can help, with an idempotency key, which makes it safe. */

import { randomUUID } from "node:crypto";

const IDEMPOTENCY_KEY = "idempotency-key";
/** The first and the longest wait if the service names none; each is twice the last. */
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 8_000;

export interface Retries {
  /** The most attempts of a request; 5 unless given. */
  attempts?: number;
  /** How long a request may take with all waits, in milliseconds; 60,000 unless given. */
  milliseconds?: number;
  /** How long one attempt may take, in milliseconds; 30,000 unless given. */
  attemptMilliseconds?: number;
  /** Waits for a number of milliseconds. */
  sleep?: (milliseconds: number) => Promise<void>;
}

type Fetch = (request: Request) => Promise<Response>;

/**
 * A `fetch` that retries.
 *
 * A write with a token gets an idempotency key unless it has one, the same for each attempt, so
 * that it takes effect once. A write without a key is retried only if the service says that it did
 * nothing.
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

/** The error of an attempt without an answer. */
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

/** Returns the milliseconds to wait before the next attempt; undefined if none would help. */
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
 * Whether a retry may soon succeed.
 *
 * 429 and 503 say that nothing was done. A 5xx that isn't a problem detail is the gateway's: the
 * request may have been carried out, so only a repeatable one is retried.
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

/** Whether the connection was refused, or the name not found: then nothing was sent. */
function wasRefused(error: unknown): boolean {
  const cause = error instanceof Error ? (error.cause as { code?: unknown } | undefined) : undefined;
  return cause?.code === "ECONNREFUSED" || cause?.code === "ENOTFOUND";
}
