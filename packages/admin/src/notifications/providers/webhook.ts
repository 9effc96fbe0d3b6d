import { validateHeaderValue } from "node:http";
import { CUSTOM_HEADERS, readCustomHeaders } from "./custom-headers.ts";
import { checkTemplate, renderTemplate } from "./body-template.ts";
import {
  GUIDE,
  InvalidParameterError,
  type Notice,
  type Parameters,
  type Provider,
} from "./provider.ts";

const JSON_TYPE = "application/json";

/** Larger bodies leave out the states before and after the change, which receivers can read from the admin API. */
const MAX_BODY_BYTES = 256 * 1024;

export const webhook: Provider = {
  name: "webhook",
  displayName: "Webhook",
  description: "Sends each event to an address of yours, with a signature.",
  documentationUrl: GUIDE,
  parameters: [
    {
      name: "url",
      displayName: "URL",
      type: "url",
      description: "Where the service sends a POST for each event.",
      placeholder: "https://example.com/flags",
      required: true,
      sensitive: true,
    },
    {
      name: "contentType",
      displayName: "Content type",
      type: "text",
      description: `What the body is, if you set it yourself. Default: ${JSON_TYPE}`,
      placeholder: JSON_TYPE,
      required: false,
      sensitive: false,
    },
    {
      name: "authorization",
      displayName: "Authorization",
      type: "text",
      description: "The value of the header of this name, if the receiver requires it.",
      required: false,
      sensitive: true,
    },
    CUSTOM_HEADERS,
    {
      name: "bodyTemplate",
      displayName: "Body template",
      type: "textfield",
      description:
        "A Mustache template of the body, with {{event.type}}, {{event.featureName}} and the other parts of the event, {{eventMarkdown}}, the sentence about it, and {{link}}. Default: the event as JSON.",
      placeholder: '{"title": "{{eventMarkdown}}", "link": "{{link}}"}',
      required: false,
      sensitive: false,
    },
  ],
  isSigned: true,
  urlOf: ({ url = "" }) => url,
  check: (parameters) => {
    const { authorization = "", bodyTemplate = "" } = parameters;
    const contentType = contentTypeOf(parameters);
    checkHeader("contentType", contentType);
    checkHeader("authorization", authorization);
    if (bodyTemplate !== "") checkTemplate(bodyTemplate, contentType);
  },
  write: (notice, parameters) => {
    const { url = "", authorization = "", bodyTemplate = "" } = parameters;
    const contentType = contentTypeOf(parameters);
    return {
      url,
      headers: {
        ...readCustomHeaders(parameters),
        "content-type": contentType,
        ...(authorization !== "" && { authorization }),
      },
      body: writeBody(notice, bodyTemplate, contentType),
    };
  },
};

function contentTypeOf({ contentType = "" }: Parameters): string {
  return contentType.trim() || JSON_TYPE;
}

function checkHeader(parameter: string, value: string): void {
  try {
    validateHeaderValue(parameter, value);
  } catch {
    throw new InvalidParameterError(parameter, "must be a valid value of a header");
  }
}

function writeBody(notice: Notice, template: string, contentType: string): string {
  const complete = toBody(notice);
  const full = JSON.stringify(complete);
  const body =
    Buffer.byteLength(full) > MAX_BODY_BYTES
      ? { ...complete, data: null, preData: null }
      : complete;
  return template === ""
    ? JSON.stringify(body)
    : renderTemplate(template, contentType, { ...notice, event: body });
}

function toBody({ event, text, link }: Notice) {
  return { ...event, summary: text, link: link ?? null };
}
