/** Flags to start with while the upstream has not answered. Of several sources the first counts. */
export interface BootstrapOptions {
  /** Flags, as the upstream would send them. */
  readonly data?: readonly unknown[];
  /** Segments that go with `data`. */
  readonly segments?: readonly unknown[];
  /** Where to fetch a document `{ features, segments? }`; asked again until it is there. */
  readonly url?: string;
  /** Headers for `url`; the token for the upstream is not sent there. */
  readonly urlHeaders?: Readonly<Record<string, string>>;
  /** A JSON file that holds a document `{ features, segments? }`. */
  readonly filePath?: string;
  /** Whether it replaces flags restored from storage. @default true */
  readonly override?: boolean;
}
