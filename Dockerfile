# L-Plate in a container. With an empty /data it keeps everything there; with DATABASE_URL it keeps nothing.
#   docker build -t l-plate . && docker run --rm -p 8080:8080 -v l-plate:/data l-plate

# The image brings Node.js 26, so the packages that do (optional dependencies) are left out, and those of the console.
FROM node:26-slim AS packages
WORKDIR /l-plate
COPY package.json package-lock.json ./
RUN npm ci --omit=dev --omit=optional --workspaces=false --ignore-scripts --no-audit --no-fund

# What the bundler makes of the console is all that is kept of this stage.
FROM node:26-slim AS console
WORKDIR /l-plate
COPY package.json package-lock.json ./
COPY console ./console
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund
COPY src ./src
RUN node console/build.js

FROM node:26-slim
WORKDIR /l-plate
COPY --from=packages /l-plate/node_modules ./node_modules
COPY package.json LICENSE README.md ./
COPY bin ./bin
COPY contracts ./contracts
COPY docs ./docs
COPY examples ./examples
COPY kits ./kits
COPY src ./src
COPY --from=console /l-plate/console/dist ./console/dist
RUN mkdir /data && chown node:node /data
ENV NODE_ENV=production HOST=0.0.0.0 DATA_DIR=/data
USER node
VOLUME /data
EXPOSE 8080
# Not by a shell or curl, which the image need not have. By HTTPS unverified: it asks only whether it is ready.
HEALTHCHECK --interval=10s --timeout=5s --start-period=10s --retries=3 \
  CMD ["node", "-e", "const scheme = process.env.TLS === 'self' || process.env.TLS_CERT ? 'https' : 'http'; require(scheme).get(`${scheme}://127.0.0.1:${process.env.PORT || 8080}/readyz`, { rejectUnauthorized: false }, (r) => process.exit(r.statusCode === 200 ? 0 : 1)).on('error', () => process.exit(1))"]
CMD ["node", "bin/lplate.js"]
