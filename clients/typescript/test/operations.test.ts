/** Every operation of the description is callable, with its parameters and its body. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { Storepost } from "../src/index.js";

interface Parameter {
  name: string;
  in: string;
  required: boolean;
}
interface Operation {
  id: string;
  method: string;
  path: string;
  parameters: Parameter[];
  body: string | null;
}
type Call = (options: Record<string, unknown>) => Promise<unknown>;

const operations = JSON.parse(
  readFileSync(new URL("../../../.made/operations.json", import.meta.url), "utf8"),
) as Operation[];

test("the description has operations", () => {
  assert.ok(operations.length > 100);
});

for (const operation of operations) {
  test(`${operation.id} is called as it is described`, async () => {
    const asked: Request[] = [];
    const storepost = new Storepost({
      baseUrl: "https://api.example.com/v1",
      token: "stp_secret",
      fetch: (request) => {
        asked.push(request);
        return Promise.resolve(Response.json({ told: true }));
      },
    });
    const [group, verb] = operation.id.split(".") as [string, string];
    const owner = (storepost as unknown as Record<string, Record<string, Call>>)[group];
    const call = owner?.[verb];
    assert.equal(typeof call, "function");
    const path = Object.fromEntries(
      operation.parameters.filter((each) => each.in === "path").map(({ name }) => [name, "a/b é"]),
    );
    const isJson = operation.body === "application/json";
    const body = isJson ? { sent: true } : { "List-Unsubscribe": "One-Click" };
    const answer = await call?.call(owner, operation.body === null ? { path } : { path, body });

    assert.deepEqual(answer, { told: true });
    assert.equal(asked.length, 1);
    const request = asked[0] as Request;
    assert.equal(request.method, operation.method);
    assert.equal(
      new URL(request.url).pathname,
      `/v1${operation.path.replaceAll(/\{[^}]+\}/g, encodeURIComponent("a/b é"))}`,
    );
    if (operation.body !== null) {
      assert.equal(request.headers.get("content-type")?.split(";")[0], operation.body);
      const sent = await request.text();
      assert.equal(sent, isJson ? '{"sent":true}' : "List-Unsubscribe=One-Click");
    }
    const takesKey = operation.parameters.some(({ name }) => name === "idempotency-key");
    assert.equal(request.headers.has("idempotency-key"), takesKey);
  });
}

test("filters of several values are sent by commas", async () => {
  let url = "";
  const storepost = new Storepost({
    baseUrl: "https://api.example.com/v1",
    fetch: (request) => {
      url = request.url;
      return Promise.resolve(Response.json({ items: [], total: 0, page: 1, pageSize: 25 }));
    },
  });
  await storepost.orders.list({ query: { financialStatus: ["paid", "refunded"], q: "a b&c" } });
  assert.equal(new URL(url).searchParams.get("financialStatus"), "paid,refunded");
  assert.equal(new URL(url).searchParams.get("q"), "a b&c");
});
