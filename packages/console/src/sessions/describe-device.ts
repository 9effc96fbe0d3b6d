type Names = readonly (readonly [pattern: RegExp, name: string])[];

// NOTE: the order matters, because most browsers also name those that they are compatible with.
const BROWSERS: Names = [
  [/\bEdg(?:A|iOS)?\//, "Edge"],
  [/\bOPR\//, "Opera"],
  [/\b(?:Firefox|FxiOS)\//, "Firefox"],
  [/\b(?:Chrome|CriOS|HeadlessChrome)\//, "Chrome"],
  [/\bSafari\//, "Safari"],
];

const SYSTEMS: Names = [
  [/\bAndroid\b/, "Android"],
  [/\biPhone\b/, "an iPhone"],
  [/\biPad\b/, "an iPad"],
  [/\bWindows\b/, "Windows"],
  [/\bMac OS X\b/, "macOS"],
  [/\bCrOS\b/, "ChromeOS"],
  [/\bLinux\b/, "Linux"],
];

interface Device {
  /** As the browser describes itself; null if it does not. */
  readonly userAgent: string | null;
  /** IP address; null if it is not known. */
  readonly address: string | null;
}

/** Says with which browser, and from where, somebody has signed in, for example "Firefox on Linux, 192.0.2.1". */
export function describeDevice({ userAgent, address }: Device): string {
  const browser = userAgent === null ? "unknown browser" : describeBrowser(userAgent);
  return address === null ? browser : `${browser}, ${address}`;
}

function describeBrowser(userAgent: string): string {
  const find = (names: Names) => names.find(([pattern]) => pattern.test(userAgent))?.[1];
  const browser = find(BROWSERS);
  // Programs have short names.
  if (browser === undefined) return userAgent.slice(0, 40);
  const system = find(SYSTEMS);
  return system === undefined ? browser : `${browser} on ${system}`;
}
