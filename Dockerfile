# One image for both commands: `flags-proxy`, the default, and `flags-admin`.
# docs/guides/deployment/container.md describes how to run it; scripts/test-image.mjs builds and tests it.

# The release workflow resolves both tags to digests, passes these, and records them as labels and in the
# provenance. To pin them yourself: --build-arg BASE=gcr.io/distroless/cc-debian13@sha256:...
ARG NODE_IMAGE=docker.io/library/node:24-trixie
ARG BASE=gcr.io/distroless/cc-debian13:nonroot

# JavaScript and WebAssembly are the same on all platforms, so this stage never runs emulated.
FROM --platform=$BUILDPLATFORM ${NODE_IMAGE} AS build
WORKDIR /src
COPY package.json package-lock.json ./
COPY packages/admin/package.json packages/admin/
COPY packages/console/package.json packages/console/
COPY packages/engine/package.json packages/engine/
COPY packages/proxy/package.json packages/proxy/
COPY packages/sdk/package.json packages/sdk/
COPY packages/server-kit/package.json packages/server-kit/
COPY packages/stream-client/package.json packages/stream-client/

# The packages that both commands need at run time, with the versions in the lock file. The secret is for a private
# registry.
RUN --mount=type=secret,id=npmrc,target=/root/.npmrc \
    mkdir /app \
    && cp -r package.json package-lock.json packages /app \
    && cd /app \
    && npm ci --omit=dev --workspace packages/proxy --workspace packages/admin --no-audit --no-fund \
    && rm -r package-lock.json node_modules/.package-lock.json packages/console packages/stream-client

RUN --mount=type=secret,id=npmrc,target=/root/.npmrc \
    npm ci --no-audit --no-fund
COPY . .
RUN npm run build

# Removes what is not needed at run time: types, source maps, tests and documentation of packages, and the CommonJS
# copies and extensions of the database. Licences stay. The base image has no /usr/bin/env, so the programs name their
# interpreter.
RUN for name in admin engine proxy sdk server-kit; do \
      cp -r packages/$name/dist /app/packages/$name/ || exit 1; \
    done \
    && cp -r packages/server-kit/bundle /app/packages/server-kit/ \
    && cp -r packages/admin/bin /app/packages/admin/ \
    && cp -r packages/proxy/bin /app/packages/proxy/ \
    && cp -r scripts/bundle /app/bundle-scripts \
    && cp LICENSE deploy/image/health.js /app/ \
    && rm -rf /app/packages/*/dist/bundle/*.code \
    && find /app \( -name '*.ts' -o -name '*.cts' -o -name '*.mts' -o -name '*.map' -o -name .tsbuildinfo \) -type f -delete \
    && find /app/node_modules -iname '*.md' -not -iname 'licen[cs]e*' -not -iname 'notice*' -type f -delete \
    && find /app/node_modules -regextype posix-extended -type d \
         -regex '.*/node_modules/(@[^/]+/)?[^/]+/(test|tests|benchmarks?|docs|examples?|\.github)' -prune -exec rm -r {} + \
    && find /app/node_modules/@electric-sql /app/node_modules/drizzle-orm -name '*.cjs' -type f -delete \
    && rm /app/node_modules/@electric-sql/pglite/dist/*.tar.gz \
    && rm -r /app/node_modules/yaml/browser /app/node_modules/@fastify/swagger-ui/static/swagger-ui.js \
    && if find /app -name '*.node' | grep .; then echo 'Native modules need a build for each platform' >&2; exit 1; fi \
    && sed -i '1s|.*|#!/usr/local/bin/node|' /app/packages/*/bin/flags-admin.js /app/packages/*/bin/flags-proxy.js

# V8 accepts a code cache only from the same version on the same architecture: this stage runs on the target.
# Only flags-proxy gets one: its startup time matters more than that of flags-admin, and the image stays smaller.
# A tenth of the Node binary consists of symbols for native debuggers.
FROM ${NODE_IMAGE} AS target
COPY --from=build /app /app
RUN mkdir -p /app/scripts /data \
    && mv /app/bundle-scripts /app/scripts/bundle \
    && node /app/scripts/bundle/write-code-caches.mjs flags-proxy \
    && strip -o /node /usr/local/bin/node \
    && rm -r /app/scripts \
    && chmod -R u=rwX,go=rX /app \
    && mkdir /commands \
    && ln -s /app/packages/proxy/bin/flags-proxy.js /commands/flags-proxy \
    && ln -s /app/packages/admin/bin/flags-admin.js /commands/flags-admin

FROM ${BASE}
ARG NODE_IMAGE
ARG BASE
ARG VERSION=unreleased
ARG REVISION=unknown
LABEL org.opencontainers.image.title="flags" \
      org.opencontainers.image.description="Feature flags for browsers and mobile apps: flags-proxy and flags-admin" \
      org.opencontainers.image.source="https://github.com/flags-project/flags" \
      org.opencontainers.image.documentation="https://github.com/flags-project/flags/blob/main/docs/guides/deployment/container.md" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}" \
      org.opencontainers.image.base.name="${BASE}" \
      dev.flags.node-image="${NODE_IMAGE}"
COPY --from=target /node /usr/local/bin/node
COPY --from=target /app /app
COPY --from=target /commands /usr/local/bin
# The embedded database of flags-admin: mount a volume here.
COPY --from=target --chown=65532:65532 /data /data
ENV PATH=/usr/local/bin:/usr/bin:/bin \
    DATA_DIR=/data
WORKDIR /
# Numeric, so that Kubernetes can verify runAsNonRoot. Any other user works as well.
USER 65532:65532
EXPOSE 3000 4242
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 CMD ["node", "/app/health.js"]
# No entrypoint: `docker run IMAGE flags-admin` replaces the command. Node itself is process 1, which works
# because both commands handle SIGTERM and start no processes other than their own workers.
CMD ["flags-proxy"]
