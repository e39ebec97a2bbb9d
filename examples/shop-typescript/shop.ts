/**
 * A tiny shop: it sends Storepost its products, customers and orders, and receives unsubscriptions.
 *
 * Run it beside a local run (`make run`), as docs/guides/connect-your-shop.md says.
 */

import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

import {
  items,
  ProblemError,
  Storepost,
  verifyWebhook,
  WebhookVerificationError,
} from "@storepost/client";

const CREDENTIALS = new URL("../../../.local/credentials.json", import.meta.url);
/** Whether a customer gets marketing emails: in a real shop, a column of its customers. */
const SUBSCRIBED = new Map([["customer-1", true]]);

/** The fields of a write-back that this shop reads. */
interface ConsentChanged {
  data: { state: string; customers: { externalId: string }[] };
}

async function main(): Promise<void> {
  const credentials = JSON.parse(readFileSync(CREDENTIALS, "utf8")) as {
    baseUrl: string;
    apiKeys: { write: string };
  };
  const storepost = new Storepost({
    baseUrl: credentials.baseUrl,
    token: credentials.apiKeys.write,
  });
  const store = await connect(storepost);
  let secret: string | undefined;
  const server = createServer((request, response) => {
    takeWriteBack(request, response, secret).catch(() => response.writeHead(500).end());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  secret = await listenAt(storepost, store, `http://127.0.0.1:${port}/`);
  await sendRecords(storepost, store);
  console.log(`An email to Ada would have this link:\n  ${await unsubscribeLink(storepost, store)}`);
  console.log("Waiting for write-backs; Ctrl-C ends the shop.");
  process.once("SIGINT", () => {
    console.log("The shop is closed.");
    process.exit(0);
  });
}

/** Returns the shop's store in Storepost; the first run creates it, later runs find it. */
async function connect(storepost: Storepost): Promise<string> {
  const shop = {
    platform: "custom" as const,
    name: "Tiny shop",
    externalId: "tiny-shop-typescript",
    currency: "EUR",
    primaryLocale: "en",
    adminUrl: "http://127.0.0.1:9000/admin",
  };
  try {
    return (await storepost.stores.create({ body: shop })).id;
  } catch (problem) {
    if (!(problem instanceof ProblemError && problem.code === "store_exists")) throw problem;
  }
  const found = items((page) =>
    storepost.stores.list({ query: { q: shop.name, platform: ["custom"], page } }),
  );
  for await (const store of found) if (store.externalId === shop.externalId) return store.id;
  throw new Error("The store was here a moment ago.");
}

/**
 * Has write-backs sent to the address; returns the secret that signs them.
 *
 * Only a new secret is shown, so a later run requests another. A real shop stores it.
 */
async function listenAt(storepost: Storepost, store: string, url: string): Promise<string> {
  const path = { id: store };
  const config = await storepost.stores.putWriteBack({ path, body: { url } });
  const secret = config.secret ?? (await storepost.stores.rotateWriteBack({ path })).secret;
  if (secret === null) throw new Error("The store has no secret.");
  return secret;
}

/** Sends a customer, a product and an order, each under the shop's own id. */
async function sendRecords(storepost: Storepost, store: string): Promise<void> {
  const now = new Date().toISOString();
  const price = { amount: 1290, currency: "EUR" };
  const nothing = { amount: 0, currency: "EUR" };
  await storepost.customers.put({
    path: { id: store, externalId: "customer-1" },
    body: {
      externalCreatedAt: now,
      externalUpdatedAt: now,
      email: "ada@typescript-shop.example",
      firstName: "Ada",
      emailMarketingConsent: "subscribed",
      emailMarketingConsentUpdatedAt: now,
    },
  });
  await storepost.products.put({
    path: { id: store, externalId: "candle" },
    body: {
      updatedAt: now,
      status: "active",
      locales: [{ locale: "en", title: "Beeswax candle" }],
      variants: [{ externalId: "candle-1", title: "Candle", price }],
    },
  });
  await storepost.orders.put({
    path: { id: store, externalId: "order-1" },
    body: {
      number: "#1",
      placedAt: now,
      updatedAt: now,
      financialStatus: "paid",
      fulfillmentStatus: "unfulfilled",
      customer: { externalId: "customer-1", email: "ada@typescript-shop.example" },
      total: price,
      subtotal: price,
      totalDiscounts: nothing,
      totalShipping: nothing,
      totalTax: nothing,
      totalRefunded: nothing,
      lineItems: [
        {
          title: "Beeswax candle",
          quantity: 1,
          unitPrice: price,
          totalDiscount: nothing,
          productExternalId: "candle",
        },
      ],
    },
  });
  const numbers: string[] = [];
  const orders = items((page) => storepost.orders.list({ query: { storeId: store, page } }));
  for await (const order of orders) numbers.push(order.number);
  console.log(`Storepost has the shop's orders: ${numbers.join(", ")}`);
}

/** Returns the unsubscribe link for an email to the customer. */
async function unsubscribeLink(storepost: Storepost, store: string): Promise<string> {
  const query = { storeId: store, externalId: "customer-1" };
  const [ada] = (await storepost.profiles.list({ query })).items;
  if (ada === undefined) throw new Error("Nobody is customer-1.");
  return (await storepost.unsubscribeLinks.create({ path: { id: ada.id } })).url;
}

/** Receives changes of consent from Storepost, and accepts those that it signed. */
async function takeWriteBack(
  request: IncomingMessage,
  response: ServerResponse,
  secret: string | undefined,
): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  if (secret === undefined) return void response.writeHead(503).end();
  let message: ConsentChanged;
  try {
    const body = Buffer.concat(chunks);
    message = verifyWebhook(secret, request.headers, body) as unknown as ConsentChanged;
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error;
    console.log(`Refused: ${error.message}`);
    return void response.writeHead(401).end();
  }
  // Answer soon, but only once it is stored: Storepost retries it without 2xx in 10 seconds.
  for (const { externalId } of message.data.customers) {
    SUBSCRIBED.set(externalId, message.data.state === "subscribed");
    console.log(`Verified: ${externalId} is ${message.data.state}`);
  }
  return void response.writeHead(204).end();
}

await main();
