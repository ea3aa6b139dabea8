# L-Plate in a container, from the bundle. With an empty /data it keeps everything there; with DATABASE_URL it keeps nothing.
#   docker build -t l-plate . && docker run --rm -p 8080:8080 -v l-plate:/data l-plate
# It writes nowhere else, so it runs with --read-only. Settings are variables, or flags after the image's name.

# The bundle is all that is kept of this stage.
FROM node:26-slim AS package
WORKDIR /l-plate
COPY package.json package-lock.json ./
COPY console/package.json ./console/
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY CHANGELOG.md LICENSE tsconfig.json tsconfig.library.json ./
COPY bin ./bin
COPY console ./console
COPY contracts ./contracts
COPY docs ./docs
COPY examples ./examples
COPY kits ./kits
COPY package ./package
COPY src ./src
RUN node package/build.js

FROM node:26-alpine
WORKDIR /l-plate
COPY --from=package /l-plate/dist/package ./
RUN mkdir -p /data node_modules/.cache && chown 1000:1000 /data node_modules/.cache
ENV NODE_ENV=production HOST=0.0.0.0 DATA_DIR=/data
# By its number: a platform that refuses root can tell.
USER 1000:1000
# What is compiled here, each start finds.
RUN node bin/lplate.js --check-lessons examples/class.json
VOLUME /data
EXPOSE 8080
# Not by a shell or curl, which the image need not have. By HTTPS unverified: it asks only whether it is ready.
HEALTHCHECK --interval=10s --timeout=5s --start-period=10s --retries=3 \
  CMD ["node", "-e", "const scheme = process.env.TLS === 'self' || process.env.TLS_CERT ? 'https' : 'http'; require(scheme).get(`${scheme}://127.0.0.1:${process.env.PORT || 8080}/readyz`, { rejectUnauthorized: false }, (r) => process.exit(r.statusCode === 200 ? 0 : 1)).on('error', () => process.exit(1))"]
ENTRYPOINT ["node", "bin/lplate.js"]
