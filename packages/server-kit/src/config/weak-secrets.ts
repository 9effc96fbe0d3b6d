import { BlockList, isIP } from "node:net";

/** Shortest secret that may protect definitions or the admin API, in characters. */
export const MIN_SECRET_LENGTH = 16;

/** The same while only this machine can connect, for trying things out. */
export const MIN_LOOPBACK_SECRET_LENGTH = 6;

/**
 * Shorter client keys and frontend tokens get a warning, in characters. They are part of web pages and
 * apps, so more would not make them secret.
 */
export const MIN_PUBLIC_KEY_LENGTH = 8;

/** Secrets in the documentation of this project and of Unleash. Attackers try them first. */
const PUBLISHED_SECRETS: ReadonlySet<string> = new Set([
  "964a287e1b728cb5f4f3e0120df92cb5",
  "demo-client-key",
  "example-admin-token-change-me",
  "key-of-the-mobile-app",
  "key-of-the-web-app",
  "proxy-secret",
  "secret",
  "some-random-string",
  "some-secret",
]);
const PUBLISHED_PREFIX = "unleash-insecure-";

/** The part of `project:environment.secret` after the dot, or all of a text of another form. */
export function secretPartOf(token: string): string {
  return /^[^:\s]+:[^.:\s]+\.(.*)$/s.exec(token)?.[1] ?? token;
}

/** Whether a token or key is an example that everybody can read in public documentation. */
export function isPublishedExample(token: string): boolean {
  const secret = secretPartOf(token);
  return PUBLISHED_SECRETS.has(secret) || secret.startsWith(PUBLISHED_PREFIX);
}

const loopback = new BlockList();
loopback.addSubnet("127.0.0.0", 8);
loopback.addAddress("::1", "ipv6");

/** Whether a server on this host accepts connections from its own machine only. */
export function isLoopbackHost(host: string | undefined): boolean {
  if (host === undefined) return false;
  const family = isIP(host);
  if (family === 0) return host.toLowerCase() === "localhost";
  return loopback.check(host, family === 6 ? "ipv6" : "ipv4");
}

interface WeakSecretRules {
  /** Shorter ones get a warning, in characters. */
  readonly minLength: number;
  /** Whether only this machine can connect, so that published examples do no harm. */
  readonly isLoopback: boolean;
}

/**
 * Warnings about secrets that can be guessed, without the secrets.
 *
 * @param name the setting that contains them
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
    if (secretPartOf(secret).length >= minLength) return [];
    return [
      `${subject} is easy to guess, because it has fewer than ${minLength} characters: use a longer, random one`,
    ];
  });
}
