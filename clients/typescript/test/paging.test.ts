/** Lists, page after page. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { items, type Page } from "../src/index.js";

for (const total of [0, 1, 9, 10, 11, 20, 25]) {
  test(`${total} items come once each, with no page too many`, async () => {
    const asked: number[] = [];
    const fetch = (page: number): Promise<Page<number>> => {
      asked.push(page);
      const all = [...Array(total).keys()];
      const rows = all.slice((page - 1) * 10, page * 10);
      return Promise.resolve({ items: rows, total, page, pageSize: 10 });
    };
    const found: number[] = [];
    for await (const item of items(fetch)) found.push(item);
    assert.deepEqual(found, [...Array(total).keys()]);
    assert.equal(asked.length, Math.max(1, Math.ceil(total / 10)));
  });
}
