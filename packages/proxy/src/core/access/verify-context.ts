import { randomUUID } from "node:crypto";
import { describeRepeatedHeader, findRepeatedHeader } from "flags-server-kit/neutral";
import { isStandardField, type SentContext } from "../context/sent-context.ts";
import { badField, HttpError, notSigned } from "../http/errors.ts";

export const SIGNATURE_HEADER = "x-flags-context-signature";

/** The property of a context that can contain its signature. No rule can read it. */
export const SIGNATURE_PROPERTY = "contextSignature";

/** Values of context fields and properties by name. Fields that are absent or empty are missing. */
export type FieldValues = ReadonlyMap<string, string>;

export interface SignedValues {
  readonly values: FieldValues;
  /** When the signature expires, epoch milliseconds. @default never */
  readonly expiresAtMs?: number | undefined;
}

export interface ContextVerifier {
  readonly fields: readonly string[];
  readonly allowsAnonymous: boolean;
  /**
   * Returns the signed values of the fields.
   *
   * @param claimed the values that the client sent
   * @throws {HttpError} 401 if the signature is not valid, 403 if a value differs from the signed one
   */
  verify(claimed: FieldValues, signature: string): SignedValues | Promise<SignedValues>;
}

export interface VerifiedContext {
  readonly sent: SentContext;
  /** When its signature expires, epoch milliseconds. @default never */
  readonly expiresAtMs?: number | undefined;
}

export interface SignedRequest {
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly rawHeaders: readonly string[];
}

/**
 * Checks the signature of a context. Fields that need not be signed stay as they were sent.
 *
 * @throws {HttpError} a 400, 401 or 403 that names the problem
 */
export async function verifyContext(
  verifier: ContextVerifier,
  received: SentContext,
  request: SignedRequest,
): Promise<VerifiedContext> {
  const { fields, allowsAnonymous } = verifier;
  const signature = readSignature(received, request);
  const claimed = readClaimed(received, fields);
  const rest = withoutFields(received, fields);
  if (signature === undefined) {
    if (claimed.size === 0 && allowsAnonymous) return { sent: rest };
    throw notSigned(fields);
  }
  const { values, expiresAtMs } = await verifier.verify(claimed, signature);
  return { sent: withFields(rest, values), expiresAtMs };
}

/** Returns the signature in the header or in the context. Two different ones are a 400. */
function readSignature(
  { properties }: SentContext,
  { headers, rawHeaders }: SignedRequest,
): string | undefined {
  if (findRepeatedHeader(rawHeaders, [SIGNATURE_HEADER]) !== undefined) {
    throw new HttpError(400, describeRepeatedHeader(SIGNATURE_HEADER));
  }
  const inHeader = headers[SIGNATURE_HEADER]?.toString() || undefined;
  const inContext = properties[SIGNATURE_PROPERTY] || undefined;
  if (inHeader !== undefined && inContext !== undefined && inHeader !== inContext) {
    throw badField(
      SIGNATURE_PROPERTY,
      `differs from the header \`${SIGNATURE_HEADER}\`: send only one of them`,
    );
  }
  return inHeader ?? inContext;
}

function readClaimed({ fields, properties }: SentContext, names: readonly string[]): FieldValues {
  const claimed = new Map<string, string>();
  for (const name of names) {
    const isStandard = isStandardField(name);
    // NOTE: rules read a property if the field of the same name is missing.
    if (isStandard && properties[name] !== undefined) {
      throw badField(
        `properties.${name}`,
        `is not allowed with this key, for which \`${name}\` must be signed: send it as a context field`,
      );
    }
    // NOTE: some clients send an empty value for one that they do not have.
    const value = isStandard ? fields[name] : properties[name];
    if (value) claimed.set(name, value);
  }
  return claimed;
}

function withoutFields(sent: SentContext, names: readonly string[]): SentContext {
  const fields = { ...sent.fields };
  const properties = copyProperties(sent);
  delete properties[SIGNATURE_PROPERTY];
  for (const name of names) {
    if (isStandardField(name)) delete fields[name];
    else delete properties[name];
  }
  // NOTE: in OFREP, the user id takes the place of a missing session id. A client can choose one that is not signed.
  if (names.includes("sessionId") && !names.includes("userId")) fields.sessionId = randomUUID();
  return { fields, properties };
}

function withFields(sent: SentContext, values: FieldValues): SentContext {
  const fields = { ...sent.fields };
  const properties = copyProperties(sent);
  for (const [name, value] of values) {
    if (isStandardField(name)) fields[name] = value;
    else properties[name] = value;
  }
  return { fields, properties };
}

/** NOTE: no prototype, so that any name is safe. */
function copyProperties({ properties }: SentContext): Record<string, string> {
  return Object.assign(Object.create(null) as Record<string, string>, properties);
}
