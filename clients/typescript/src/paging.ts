/** Lists of the service, whose pages are fetched when they are read. */

/** A page of any list. */
export interface Page<Item> {
  items: Item[];
  total: number;
  page: number;
  pageSize: number;
}

/** Yields each page, from `first` to the last; at least one. */
export async function* pages<OnePage extends Page<unknown>>(
  fetch: (page: number) => Promise<OnePage>,
  first = 1,
): AsyncGenerator<OnePage, void> {
  for (let number = first; ; number += 1) {
    const page = await fetch(number);
    yield page;
    if (page.items.length === 0 || number * page.pageSize >= page.total) return;
  }
}

/**
 * Yields the items of those pages: `items((page) => storepost.orders.list({ query: { page } }))`.
 *
 * Pages are requested by number, so rows that are added or removed meanwhile may make an item
 * appear twice, or not at all.
 */
export async function* items<Item>(
  fetch: (page: number) => Promise<Page<Item>>,
  first = 1,
): AsyncGenerator<Item, void> {
  for await (const page of pages(fetch, first)) yield* page.items;
}
