# One image for all roles. ROLES selects those of a container.
FROM oven/bun:1.4.5-slim AS build
WORKDIR /build

# Before the sources, so that a change of sources does not install again.
COPY package.json bun.lock bunfig.toml ./
COPY .config/install.ts .config/once.ts .config/
COPY .config/patches .config/patches
RUN bun .config/install.ts

COPY . .
RUN bun .config/generate.ts && bun .config/image.ts /app


FROM oven/bun:1.4.5-slim
LABEL org.opencontainers.image.title="Tonearm" org.opencontainers.image.licenses="Apache-2.0"

# The version of the distribution's release, which has its security updates.
# hadolint ignore=DL3008
RUN apt-get update \
  && apt-get install -y --no-install-recommends ffmpeg \
  && rm -rf /var/lib/apt/lists/*

# Nothing is installed or generated after this step. Only DATA_DIR and /tmp are written, so the rest may be read-only.
COPY --from=build /app /app
WORKDIR /app
# A new volume inherits the owner of the folder that it covers.
RUN ln -s /app/src/main.ts /usr/local/bin/tonearm && install -d -o bun -g bun -m 700 /data /backups
USER bun
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 EDGE_PORT=3001 DATA_DIR=/data
# Bun sends 256 requests at once by default, and a slow one keeps its place. Requests to a bucket share them.
ENV BUN_CONFIG_MAX_HTTP_REQUESTS=4096
VOLUME ["/data", "/tmp"]
EXPOSE 3000 3001

# Every role serves health on PORT. Liveness, not readiness: an unavailable database must not restart the containers.
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 \
  CMD ["bun", "-e", "process.exit((await fetch(`http://127.0.0.1:${process.env.PORT}/health/live`)).ok ? 0 : 1)"]

CMD ["tonearm", "start"]
