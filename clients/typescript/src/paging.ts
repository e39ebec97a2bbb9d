/** Lists of the service: page after page, fetched when they are looked at. */

/** What every list answers. */
export interface Page<Item> {
  items: Item[];
  total: number;
  page: number;
  pageSize: number;
}

/** Each page, from `first` to the last; one at least. */
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
 * The items of those pages: `items((page) => storepost.orders.list({ query: { page } }))`.
 *
 * Pages are counted, so what is added or removed meanwhile may bring an item twice, or not at all.
 */
export async function* items<Item>(
  fetch: (page: number) => Promise<Page<Item>>,
  first = 1,
): AsyncGenerator<Item, void> {
  for await (const page of pages(fetch, first)) yield* page.items;
}
