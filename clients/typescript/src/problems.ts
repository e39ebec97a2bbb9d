/** The service's refusals as errors: branch on `code`. */

import type { ProblemCode } from "./generated/problem-codes.js";

/**
 * One error in a request. `path` is a JSON Pointer into the body, else `query.page`,
 * `path.id` or `header.idempotency-key`.
 */
export interface FieldError {
  path: string;
  message: string;
}

interface Body {
  type?: string;
  title?: string;
  detail?: string;
  code?: string;
  errors?: FieldError[];
  message?: string;
}

/** An answer of 400 or above. */
export class ProblemError extends Error {
  override readonly name = "ProblemError";
  /**
   * Undefined if the gateway answered and not the service. The type has the codes that this
   * client knows, so that the compiler finds misspelled ones; a newer service may have more.
   */
  readonly code: ProblemCode | undefined;
  readonly kind: string | undefined;
  readonly detail: string;
  readonly errors: readonly FieldError[];

  constructor(
    readonly status: number,
    readonly body: unknown,
    readonly requestId: string | undefined,
  ) {
    const problem: Body = typeof body === "object" && body !== null ? body : {};
    const detail = problem.detail ?? problem.title ?? problem.message ?? "";
    super(`${status} ${problem.code ?? "no problem detail"}: ${detail} (request ${requestId ?? "?"})`);
    this.code = problem.code as ProblemCode | undefined;
    this.kind = problem.type;
    this.detail = detail;
    this.errors = problem.errors ?? [];
  }
}
