/** When a request is retried, and the headers of each attempt. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { ProblemError, type Retries, Storepost } from "../src/index.js";

type Said = Response | Error;

/** A service that gives one answer after the other, and repeats the last one. */
class Service {
  readonly asked: Request[] = [];
  readonly slept: number[] = [];
  readonly storepost: Storepost;

  constructor(answers: (() => Said)[], retries: Retries = {}) {
    this.storepost = new Storepost({
      baseUrl: "https://api.example.com/v1",
      token: "stp_secret",
      retries: {
        ...retries,
        sleep: (milliseconds) => {
          this.slept.push(milliseconds);
          return Promise.resolve();
        },
      },
      fetch: (request) => {
        this.asked.push(request);
        const said = answers[Math.min(this.asked.length, answers.length) - 1]?.();
        return said instanceof Error ? Promise.reject(said) : Promise.resolve(said as Response);
      },
    });
  }

  keys(): (string | null)[] {
    return this.asked.map((request) => request.headers.get("idempotency-key"));
  }
}

const fine = (): Response => new Response(null, { status: 204 });
const gone = (): Error => new TypeError("fetch failed");
const refused = (): Error =>
  new TypeError("fetch failed", { cause: { code: "ECONNREFUSED" } as unknown as Error });

function problem(status: number, code: string, after?: string): () => Response {
  const headers: HeadersInit = after === undefined ? {} : { "retry-after": after };
  return () => Response.json({ status, code, title: "No" }, { status, headers });
}

async function write(service: Service): Promise<void> {
  await service.storepost.auth.signOut();
}

async function askForPassword(service: Service): Promise<void> {
  await service.storepost.auth.forgotPassword({ body: { email: "a@example.com" } });
}

describe("it is sent again", () => {
  for (const [status, code] of [
    [429, "rate_limited"],
    [503, "busy"],
    [409, "idempotency_in_progress"],
  ] as const) {
    test(`as ${code} says`, async () => {
      const service = new Service([problem(status, code, "7"), fine]);
      await write(service);
      const [waited] = service.slept;
      assert.ok(waited !== undefined && waited >= 7_000 && waited < 7_500);
    });
  }

  for (const [name, said] of Object.entries({
    "a network that fails": gone,
    "the gateway's own 500": () => Response.json({ message: "No" }, { status: 500 }),
    "the gateway's own 504": () => new Response("<html>", { status: 504 }),
    "a busy service": problem(503, "busy"),
  })) {
    test(`with the same key after ${name}`, async () => {
      const service = new Service([said, said, fine]);
      await write(service);
      assert.equal(service.asked.length, 3);
      assert.equal(new Set(service.keys()).size, 1);
      assert.ok(service.keys()[0]);
    });
  }

  test("with the body that it had", async () => {
    const service = new Service([gone, () => Response.json({})]);
    await service.storepost.workspaces.create({ body: { name: "Birch" } });
    const sent = await Promise.all(service.asked.map((request) => request.text()));
    assert.deepEqual(sent, ['{"name":"Birch"}', '{"name":"Birch"}']);
  });

  test("after waits that grow and are spread", async () => {
    const busy = problem(503, "busy");
    const service = new Service([busy, busy, busy, busy, fine]);
    await write(service);
    const limits = [500, 1_000, 2_000, 4_000];
    assert.equal(service.slept.length, limits.length);
    service.slept.forEach((waited, index) => {
      const longest = limits[index] ?? 0;
      assert.ok(waited >= longest / 2 && waited <= longest);
    });
  });

  test("with the key that was given", async () => {
    const service = new Service([problem(503, "busy"), fine]);
    await service.storepost.auth.signOut({ headers: { "idempotency-key": "mine" } });
    assert.deepEqual(service.keys(), ["mine", "mine"]);
  });

  test("without a key where it reads", async () => {
    const service = new Service([gone, () => Response.json({ status: "ok" })]);
    await service.storepost.health.get();
    assert.deepEqual(service.keys(), [null, null]);
  });

  for (const first of [problem(429, "rate_limited"), refused]) {
    test("without a key where nothing happened", async () => {
      const service = new Service([first, () => new Response(null, { status: 202 })]);
      await askForPassword(service);
      assert.deepEqual(service.keys(), [null, null]);
    });
  }
});

describe("it is not sent again", () => {
  for (const [status, code] of [
    [400, "malformed_request"],
    [404, "not_found"],
    [409, "conflict"],
    [422, "validation"],
    [500, "internal"],
  ] as const) {
    test(`after ${code}`, async () => {
      const service = new Service([problem(status, code)]);
      await assert.rejects(
        write(service),
        (error) => error instanceof ProblemError && error.code === code && error.status === status,
      );
      assert.equal(service.asked.length, 1);
    });
  }

  test("after so many attempts", async () => {
    const service = new Service([problem(503, "busy")], { attempts: 3 });
    await assert.rejects(write(service), { code: "busy" });
    assert.equal(service.asked.length, 3);
  });

  test("where the wait would take too long", async () => {
    const service = new Service([problem(429, "rate_limited", "3600")]);
    await assert.rejects(write(service), { status: 429 });
    assert.deepEqual(service.slept, []);
  });

  for (const first of [gone, () => new Response("", { status: 502 })]) {
    test("where no key protects what may have happened", async () => {
      const service = new Service([first]);
      await assert.rejects(askForPassword(service));
      assert.deepEqual(service.keys(), [null]);
    });
  }
});

test("a problem says what is wrong and which request it was", async () => {
  const errors = [{ path: "/email", message: "Not an address." }];
  const body = { type: "about:x", detail: "Mend it.", code: "validation", errors };
  const service = new Service([
    () => Response.json(body, { status: 422, headers: { "request-id": "r-1" } }),
  ]);
  await assert.rejects(write(service), {
    name: "ProblemError",
    status: 422,
    code: "validation",
    kind: "about:x",
    requestId: "r-1",
    errors,
    message: "422 validation: Mend it. (request r-1)",
  });
});

test("what is no problem detail is an error too", async () => {
  const service = new Service([() => new Response("<html>", { status: 413 })]);
  await assert.rejects(write(service), { status: 413, code: undefined });
});

test("the token goes where an operation needs one", async () => {
  const service = new Service([fine]);
  await write(service);
  assert.equal(service.asked[0]?.headers.get("authorization"), "Bearer stp_secret");
  await askForPassword(service);
  assert.equal(service.asked[1]?.headers.get("authorization"), null);
});
