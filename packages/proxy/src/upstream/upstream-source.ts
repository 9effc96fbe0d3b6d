import { FlagsClient, type FlagsClientOptions } from "flags-sdk";
import type { FlagSource } from "./flag-source.ts";
import { type Attachment, attachTo, type ClientParts } from "flags-sdk/internal";
import { Emitter, toEventSink, UpdatedFlags } from "flags-sdk/neutral";
import type { OpenExchange } from "./sharing/flag-exchange.ts";
import {
  SharedSynchronizer,
  type SharingRole,
  type SharingStatus,
} from "./sharing/shared-synchronizer.ts";
import type { ApplicationRegistration, ApplicationUsage } from "./usage/application-usage.ts";
import type { UsageSpoolState } from "./usage/spool/usage-spool.ts";
import { namesIn } from "./usage/known-names.ts";
import { UpstreamUsage, type UsageSpoolOptions } from "./usage/upstream-usage.ts";
import type { DropKind } from "./usage/usage-drops.ts";

interface UpstreamSourceOptions extends Pick<ClientParts, "observeRequest"> {
  /** Keeps usage, impact metrics and registrations until they are delivered. @default memory */
  readonly usageSpool?: UsageSpoolOptions | undefined;
  /** Shares the flags with other replicas. @default this one follows the upstream itself */
  readonly openExchange?: OpenExchange | undefined;
}

/** Events of a source in addition to those of its client, with the parameters of their listeners. */
interface UpstreamSourceEvents {
  role: (role: SharingRole) => void;
  usageDropped: (kind: DropKind, count: number) => void;
}

export class UpstreamSource extends UpdatedFlags implements FlagSource {
  protected override readonly compiler: Attachment["compiler"];
  protected override readonly emitter: Attachment["emitter"];
  protected override readonly updater: Attachment["updater"];
  readonly events: Emitter<UpstreamSourceEvents>;
  readonly #client: FlagsClient;
  readonly #usage: UpstreamUsage;
  readonly #shared: (() => SharedSynchronizer | undefined) | undefined;
  readonly #isOwner: boolean;
  readonly #closeAfter: (calls: Promise<unknown>) => void;

  /** @param client a client, which the caller must close, or the options of a new one */
  constructor(client: FlagsClient | FlagsClientOptions, options: UpstreamSourceOptions = {}) {
    super();
    const { usageSpool, openExchange, observeRequest } = options;
    let shared: SharedSynchronizer | undefined;
    this.#isOwner = !(client instanceof FlagsClient);
    this.#shared = openExchange && (() => shared);
    this.#client =
      client instanceof FlagsClient
        ? client
        : new FlagsClient(client, {
            observeRequest,
            share:
              openExchange &&
              ((following) => {
                const onRole = (role: SharingRole): void => this.events.emit("role", role);
                shared = new SharedSynchronizer({ ...following, openExchange, onRole });
                return shared;
              }),
          });
    const { settings, upstream, compiler, emitter, updater, closeAfter } = attachTo(this.#client);
    this.compiler = compiler;
    this.emitter = emitter;
    this.updater = updater;
    this.events = new Emitter((_event, cause) => emitter.emit("error", cause as Error));
    this.#closeAfter = closeAfter;
    this.#usage = new UpstreamUsage({
      ...upstream,
      settings,
      events: toEventSink(emitter),
      spool: usageSpool,
      isKnown: namesIn(() => this.snapshot),
      onSent: (report) => emitter.emit("sent", report),
      onDropped: (kind, count) => this.events.emit("usageDropped", kind, count),
    });
  }

  get sharing(): SharingStatus | undefined {
    return this.#shared?.()?.status;
  }

  get usageSpool(): UsageSpoolState | undefined {
    return this.#usage.spoolState;
  }

  start(): void {
    this.#client.start();
    this.#usage.start();
  }

  async close(): Promise<void> {
    const usageSent = this.#usage.close();
    this.#closeAfter(usageSent);
    await Promise.all([usageSent, this.#isOwner ? this.#client.close() : undefined]);
  }

  /** False if a limit is exceeded, or after `close`. With a spool, resolves when accepted usage is on the disk. */
  reportUsage(usage: ApplicationUsage): boolean | Promise<boolean> {
    return this.#usage.report(usage);
  }

  /** With a spool, resolves when the registration is on the disk. */
  registerApplication(registration: ApplicationRegistration): Promise<void> {
    return this.#usage.register(registration);
  }

  sendUsage(): void {
    this.#client.sendUsage();
    this.#usage.send();
  }
}
