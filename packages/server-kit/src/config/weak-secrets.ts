/** Minimum length of a secret that protects definitions or the admin API, in characters. */
export const MIN_SECRET_LENGTH = 16;

/** The same if only this machine can connect. */
export const MIN_LOOPBACK_SECRET_LENGTH = 6;

/** The same for client keys and frontend tokens, which are part of web pages and apps. */
export const MIN_PUBLIC_KEY_LENGTH = 8;

/** Secrets that the documentation of this project or of Unleash contains, or once did: attackers try them first. */
const PUBLISHED_SECRETS: ReadonlySet<string> = new Set([
  "964a287e1b728cb5f4f3e0120df92cb5",
  "a-token-for-the-proxy",
  "demo-admin-token-for-this-machine-only",
  "demo-backend-token-local",
  "demo-client-key",
  "demo-web-key",
  "example-admin-token-change-me",
  "example-backend-token",
  "example-backend-token-change-me",
  "example-client-token-change-me",
  "key-of-the-mobile-app",
  "key-of-the-web-app",
  "proxy-secret",
  "secret",
  "some-random-string",
  "some-secret",
  "token-of-the-shop",
]);
const PUBLISHED_PREFIX = "unleash-insecure-";

/** Returns the part of `project:environment.secret` after the dot, or all of any other text. */
export function secretPartOf(token: string): string {
  return /^[^:\s]+:[^.:\s]+\.(.*)$/s.exec(token)?.[1] ?? token;
}

export function isPublishedExample(token: string): boolean {
  const secret = secretPartOf(token);
  return PUBLISHED_SECRETS.has(secret) || secret.startsWith(PUBLISHED_PREFIX);
}

interface WeakSecretRules {
  readonly minLength: number;
  /** Whether only this machine can connect, so that published examples are acceptable. */
  readonly isLoopback: boolean;
}

/**
 * Returns a warning for every secret that can be guessed, without the secret.
 *
 * @param secrets a list, whose entries the warnings number from 1, or a single secret
 */
export function findWeakSecrets(
  name: string,
  secrets: string | readonly string[],
  { minLength, isLoopback }: WeakSecretRules,
): readonly string[] {
  const entries = typeof secrets === "string" ? [secrets] : secrets;
  return entries.flatMap((secret, index) => {
    const subject = typeof secrets === "string" ? name : `${name}: entry ${index + 1}`;
    if (isPublishedExample(secret)) {
      if (isLoopback) return [];
      return [
        `${subject} is an example from public documentation: replace it, or let only this machine connect with HOST=127.0.0.1`,
      ];
    }
    const part = secretPartOf(secret);
    if (part.length >= minLength) return [];
    const reason =
      part === secret
        ? `it has fewer than ${minLength} characters`
        : `fewer than ${minLength} characters follow the dot`;
    return [`${subject} is easy to guess, because ${reason}: use a longer, random one`];
  });
}
