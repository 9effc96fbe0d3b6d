import { generateKeyPairSync } from "node:crypto";
import { expect, test } from "vitest";
import { ReadError } from "../../files/read-file.ts";
import { readSigning } from "./read-signing.ts";

const SECRET = "a-secret-that-only-servers-know-1";
const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 });
const small = generateKeyPairSync("rsa", { modulusLength: 1024 });
const spki = (pair: typeof rsa) =>
  pair.publicKey.export({ type: "spki", format: "pem" }).toString().trim();
const jwk = rsa.publicKey.export({ format: "jwk" });
const privateJwk = rsa.privateKey.export({ format: "jwk" });

const FILES: Readonly<Record<string, string>> = {
  secret: SECRET,
  short: "short",
  lines: `${SECRET}\n${SECRET}`,
  "public.pem": spki(rsa),
  "small.pem": spki(small),
  "private.pem": rsa.privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
  "jwks.json": JSON.stringify({ keys: [jwk] }),
  "private.json": JSON.stringify({ keys: [privateJwk] }),
  "secret.json": JSON.stringify({ keys: [{ kty: "oct", k: "AAAA" }] }),
  "empty.json": JSON.stringify({ keys: [] }),
};

const read = async (fields: Parameters<typeof readSigning>[0]) =>
  readSigning(
    fields,
    async (_field, path) => FILES[path] ?? "",
    () => () => Promise.reject(new Error("It has not been read")),
  );

const provider = { issuer: "https://login.example.com", audience: "flags" };

test.each([
  [{}, "exactly one of `hmac` and `jwt`"],
  [{ hmac: { secret: SECRET }, jwt: { secret: SECRET } }, "exactly one of `hmac` and `jwt`"],
  [{ hmac: {} }, "no `secret` or `secretFile` in `signedContext.hmac`"],
  [{ hmac: { secretFile: "short" } }, "does not contain one secret of at least 32 characters"],
  [{ hmac: { secretFile: ["secret", "lines"] } }, "does not contain one secret"],
  [{ hmac: { secret: SECRET, fields: ["contextSignature"] } }, "it carries the signature"],
  [{ jwt: {} }, "exactly one of `jwksUrl`, `jwksFile`, `publicKeyFile` or a secret"],
  [{ jwt: { jwksFile: "jwks.json", secret: SECRET } }, "exactly one of"],
  [{ jwt: { jwksUrl: "https://login.example.com/jwks" } }, "must have `issuer` and `audience`"],
  [{ jwt: { jwksUrl: "http://login.example.com/jwks", ...provider } }, "must be an `https` URL"],
  [{ jwt: { jwksUrl: "https://u:p@login.example.com/", ...provider } }, "must be an `https` URL"],
  [{ jwt: { jwksUrl: "file:///etc/passwd", ...provider } }, "must be an `https` URL"],
  [{ jwt: { jwksUrl: "jwks", ...provider } }, "must be an `https` URL"],
  [{ jwt: { publicKeyFile: "secret" } }, "must contain a public key or a certificate in PEM"],
  [{ jwt: { publicKeyFile: "private.pem" } }, "it contains a private key"],
  [{ jwt: { publicKeyFile: "small.pem" } }, "RSA keys must have at least 2048 bits"],
  [{ jwt: { jwksFile: "secret" } }, "JSON Web Key Set with public keys only"],
  [{ jwt: { jwksFile: "private.json" } }, "JSON Web Key Set with public keys only"],
  [{ jwt: { jwksFile: "secret.json" } }, "JSON Web Key Set with public keys only"],
  [{ jwt: { jwksFile: "empty.json" } }, "JSON Web Key Set with public keys only"],
  [{ jwt: { publicKeyFile: "public.pem", algorithms: ["HS256"] } }, "does not fit the kind of key"],
  [{ jwt: { secret: SECRET, algorithms: ["RS256"] } }, "does not fit the kind of key"],
])("readSigning() rejects %j", async (fields, problem) => {
  const error: unknown = await read(fields).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(ReadError);
  expect(String(error)).toContain(problem);
  expect(String(error)).not.toContain(SECRET);
});

test("the id identifies the content of the files, not their names", async () => {
  const inFile = await read({ hmac: { secretFile: "secret" } });
  expect((await read({ hmac: { secret: SECRET, fields: ["userId"] } }))?.id).toBe(inFile?.id);
  const rotated = await read({ hmac: { secret: [SECRET, `${SECRET}-next`] } });
  expect(rotated?.id).not.toBe(inFile?.id);
  expect((await read({ hmac: { secret: SECRET }, allowAnonymous: true }))?.id).not.toBe(inFile?.id);
});
