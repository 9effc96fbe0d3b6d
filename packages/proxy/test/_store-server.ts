import type { Environment } from "flags-server-kit/command-line";

/** The server of a store, or for files a directory. */
export interface StoreServer {
  /** Returns the value of FLAGS_STORE for an empty store. */
  readonly createAddress: () => string;
  /** Additional variables, such as credentials. */
  readonly environment: Environment;
  /** Stops the process of the server, which then accepts connections without responding. */
  readonly freeze?: () => void;
  readonly resume?: () => void;
  /** How many processes can replace a document at the same time. @default any number */
  readonly maxWriters?: number;
  /** Whether some reads fail while a document is replaced. @default false */
  readonly failsDuringWrites?: boolean;
  readonly stop: () => Promise<void>;
}
