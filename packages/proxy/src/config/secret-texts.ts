/** `Bearer abc` holds the secret `abc`, which may turn up by itself. */
export function secretsInHeader(value: string): readonly string[] {
  return [value, value.replace(/^\S+\s+/, "")];
}

/** The same for several headers. */
export function secretsInHeaders(headers: Readonly<Record<string, string>>): readonly string[] {
  return Object.values(headers).flatMap(secretsInHeader);
}

/** The password in an address, as it is written and as it is meant. */
export function secretsInAddress(address: string): readonly string[] {
  const { password } = new URL(address);
  return [password, decodeURIComponent(password)];
}
