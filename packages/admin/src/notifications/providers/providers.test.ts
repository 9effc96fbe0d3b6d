import { expect, test } from "vitest";
import { sampleNotice } from "../sample-notice.ts";
import { writeNotice } from "../write-notice.ts";
import { InvalidParameterError, type Notice, type Parameters } from "./provider.ts";
import { findProvider } from "./providers.ts";

const TRICKY = 'a "quoted" \\ <!channel> & [link](http://evil.example)\n{{event.type}}';

function notice(more: Partial<Notice["event"]> = {}): Notice {
  const { event } = sampleNotice(undefined);
  return writeNotice(
    {
      ...event,
      type: "feature-environment-enabled",
      createdBy: "Anna",
      createdByUserId: 1,
      project: "shop",
      environment: "production",
      featureName: "checkout",
      ...more,
    },
    "https://flags.example.com/",
  );
}

function write(name: string, parameters: Parameters, of: Notice = notice()) {
  const provider = findProvider(name);
  if (provider === undefined) throw new TypeError(name);
  provider.check?.(parameters);
  const message = provider.write(of, parameters);
  return { ...message, json: () => JSON.parse(message.body) as Record<string, unknown> };
}

const URL_ONLY = { url: "https://receiver.example/secret" };

test("Slack gets a sentence, the place and a link", () => {
  expect(write("slack", URL_ONLY).json()).toEqual({
    text: "Anna turned on checkout in production\nproject shop, production · <https://flags.example.com/projects/shop/flags/checkout|Open>",
  });
});

test("Slack gives nothing in a name a meaning, and gets at most 3,000 characters", () => {
  const { text } = write("slack", URL_ONLY, notice({ createdBy: TRICKY })).json();
  expect(text).toContain("&lt;!channel&gt; &amp;");
  expect(text).not.toContain("<!channel>");
  const { text: long } = write("slack", URL_ONLY, notice({ createdBy: "<😀".repeat(9000) })).json();
  expect(String(long).length).toBeLessThanOrEqual(3000);
});

test("Teams gets a card without Markdown, of less than 28 KiB", () => {
  const card = JSON.stringify(write("teams-workflow", URL_ONLY).json());
  expect(card).toContain('"text":"Anna turned on checkout in production"');
  expect(card).toContain('"url":"https://flags.example.com/projects/shop/flags/checkout"');
  expect(card).not.toContain('TextBlock","text');
  const { body } = write(
    "teams-workflow",
    URL_ONLY,
    notice({ createdBy: "\u0001".repeat(50_000) }),
  );
  expect(Buffer.byteLength(body)).toBeLessThan(28 * 1024);
});

test("Datadog gets an event with tags, on the chosen site", () => {
  const { url, headers, json } = write("datadog", {
    apiKey: "key",
    sourceTypeName: "flags",
    customHeaders: '{"X-Team":"shop"}',
  });
  expect(url).toBe("https://api.datadoghq.com/api/v1/events");
  expect(headers).toMatchObject({ "dd-api-key": "key", "X-Team": "shop" });
  expect(json()).toEqual({
    title: "Anna turned on checkout in production",
    text: "Anna turned on checkout in production\nhttps://flags.example.com/projects/shop/flags/checkout",
    tags: [
      "event:feature-environment-enabled",
      "project:shop",
      "environment:production",
      "flag:checkout",
    ],
    source_type_name: "flags",
  });
});

test("a webhook gets the event, the sentence and the link", () => {
  const { headers, json } = write("webhook", { ...URL_ONLY, authorization: "Bearer 1" });
  expect(headers).toMatchObject({ authorization: "Bearer 1", "content-type": "application/json" });
  expect(json()).toMatchObject({
    type: "feature-environment-enabled",
    createdBy: "Anna",
    project: "shop",
    environment: "production",
    featureName: "checkout",
    data: null,
    summary: "Anna turned on checkout in production",
    link: "https://flags.example.com/projects/shop/flags/checkout",
  });
});

test("a webhook leaves out states that are too large", () => {
  const { body, json } = write("webhook", URL_ONLY, notice({ data: "x".repeat(300_000) }));
  expect(body.length).toBeLessThan(1000);
  expect(json()).toMatchObject({ data: null, featureName: "checkout" });
});

test.each<[string, string, unknown]>([
  ["application/json", '{"by": "{{event.createdBy}}"}', { by: TRICKY }],
  ["application/vnd.api+json; charset=utf-8", '["{{eventMarkdown}}"]', [expect.anything()]],
  ["application/json", '{"all": {{{eventJson}}}}', { all: expect.any(String) }],
  ["application/json", '{{#event.nothing}}x{{/event.nothing}}"{{event.constructor}}"', ""],
])(
  "a template of %s stays valid with special characters: %s",
  (contentType, bodyTemplate, parsed) => {
    const parameters = { ...URL_ONLY, contentType, bodyTemplate };
    expect(write("webhook", parameters, notice({ createdBy: TRICKY })).json()).toEqual(parsed);
  },
);

test.each([
  ["application/x-www-form-urlencoded", "a%20%22quoted%22%20%5C"],
  ["text/html", "a &quot;quoted&quot;"],
  ["text/plain", 'a "quoted" \\ <!channel>'],
])("a template of %s escapes values", (contentType, start) => {
  const parameters = { ...URL_ONLY, contentType, bodyTemplate: "by={{event.createdBy}}" };
  const { body } = write("webhook", parameters, notice({ createdBy: TRICKY }));
  expect(body).toContain(`by=${start}`);
});

test.each<[string, Parameters, string]>([
  ["bodyTemplate", { bodyTemplate: '{"by": {{event.createdBy}}}' }, "must result in valid JSON"],
  [
    "bodyTemplate",
    { bodyTemplate: '{"by": "{{{event.createdBy}}}"}' },
    "must result in valid JSON",
  ],
  ["bodyTemplate", { bodyTemplate: "{{#event}}" }, "must be a valid Mustache template"],
  ["contentType", { contentType: "a\nb" }, "must be a valid value"],
  ["authorization", { authorization: "a\r\nx: y" }, "must be a valid value"],
  ["customHeaders", { customHeaders: "[]" }, "must be a JSON object"],
  ["customHeaders", { customHeaders: "{" }, "must be a JSON object"],
  ["customHeaders", { customHeaders: '{"a b": "c"}' }, '"a b" is not one'],
  ["customHeaders", { customHeaders: '{"a": 1}' }, '"a" is not one'],
  ["customHeaders", { customHeaders: '{"a": "b\\nc"}' }, '"a" is not one'],
  ["customHeaders", { customHeaders: '{"Host": "b"}' }, "must not contain Host"],
  ["customHeaders", { customHeaders: '{"Webhook-Id": "b"}' }, "must not contain Webhook-Id"],
])("a webhook rejects %s: %j", (parameter, parameters, message) => {
  const writing = () => write("webhook", { ...URL_ONLY, ...parameters });
  expect(writing).toThrow(InvalidParameterError);
  expect(writing).toThrow(message);
  expect(writing).toThrow(expect.objectContaining({ parameter }));
});

test("a template that repeats too much ends", () => {
  const list = Array.from({ length: 1000 }, (_, index) => index);
  const nested =
    "{{#event.data}}{{#event.data}}{{#event.data}}x{{/event.data}}{{/event.data}}{{/event.data}}";
  expect(() =>
    write(
      "webhook",
      { ...URL_ONLY, contentType: "text/plain", bodyTemplate: nested },
      notice({ data: list }),
    ),
  ).toThrow("It repeats too much");
});

test.each<[Partial<Notice["event"]>, string]>([
  [{}, "/projects/shop/flags/checkout"],
  [{ featureName: "a/b" }, "/projects/shop/flags/a%2Fb"],
  [{ type: "feature-deleted" }, "/projects/shop/archive"],
  [{ data: { changeRequestId: 7 } }, "/projects/shop/change-requests/7"],
  [{ featureName: null }, "/projects/shop"],
  [{ project: null, featureName: null }, "/events"],
  [{ type: "addon-config-updated", project: null, featureName: null }, "/notifications"],
])("the link of an event with %j is %s", (event, path) => {
  expect(notice(event).link).toBe(`https://flags.example.com${path}`);
});

test.each<[Partial<Notice["event"]>, string]>([
  [
    {
      type: "feature-strategy-update",
      data: { name: "flexibleRollout", parameters: { rollout: "25" }, constraints: [{}] },
    },
    "Anna changed a strategy for 25% of users who meet a constraint of checkout in production",
  ],
  [
    {
      type: "feature-strategy-add",
      data: { name: "flexibleRollout", parameters: { rollout: "100" } },
    },
    "Anna added a strategy for everyone to checkout in production",
  ],
  [{ createdByUserId: -1337 }, "The service turned on checkout in production"],
  [
    {
      type: "addon-config-updated",
      preData: { enabled: true },
      data: { enabled: false, provider: "slack", reason: "gone" },
    },
    "Anna turned off the notification slack: gone",
  ],
])("the sentence of %j is %s", (event, text) => {
  expect(notice(event).text).toBe(text);
});
