# The last image needs nothing from its base but a C++ runtime: no shell and no package manager; this one has neither.
# The one that builds needs a shell, coreutils and npm. Both are named by tag here, and by digest where a release is built.
#   docker build --build-arg BASE_IMAGE=... --build-arg BUILD_IMAGE=... --build-arg VERSION=0.1.0 .
ARG BUILD_IMAGE=node:24-trixie-slim
ARG BASE_IMAGE=gcr.io/distroless/cc-debian13:nonroot

FROM ${BUILD_IMAGE} AS build
WORKDIR /src
COPY package.json package-lock.json .npmrc scripts/node.sha256 ./
# The lock file has a checksum of everything but the Node.js that the package `node` fetches when it is installed.
RUN npm ci --no-audit --no-fund && sha256sum --check --ignore-missing node.sha256
COPY . .
# Seconds: the time that files and the bill of materials carry, so that one commit makes one tree of files.
ARG SOURCE_DATE_EPOCH=0
RUN npm run build && npm run image-root -- /image

FROM ${BASE_IMAGE}
ARG BASE_IMAGE
ARG VERSION=0.0.0
ARG REVISION=unknown
ARG SOURCE=https://dms-operator.dev
LABEL org.opencontainers.image.title="dms-operator" \
      org.opencontainers.image.description="Keeps deployments of the Deployment Management Service equal to what Kubernetes resources declare" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.url="https://dms-operator.dev" \
      org.opencontainers.image.source="${SOURCE}" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}" \
      org.opencontainers.image.base.name="${BASE_IMAGE}"
COPY --from=build /image /
# One arena: each thread of Node.js would keep freed memory in one of its own, 13 MiB in all with 10,000 resources. A fixed
# threshold: the allocator would raise it after the first large list and keep later ones too, 3 to 4 MiB.
ENV NODE_ENV=production MALLOC_ARENA_MAX=1 MALLOC_MMAP_THRESHOLD_=131072
WORKDIR /opt/dms-operator
# A number, so that runAsNonRoot can be checked without a look into the image.
USER 65532:65532
EXPOSE 8080
# Smaller rather than faster: with 2,000 resources 125 MiB instead of 225, for half a second more of the processor at the
# start. Without one compiler for code that is warm but not hot it is 110 instead of 132 with 1,000; the other one and the
# threads beside the main one cost a little more, and the start is no slower. The benchmarks take these words from here.
ENTRYPOINT ["/usr/local/bin/node", "--max-semi-space-size=2", "--optimize-for-size", "--no-maglev", "--no-sparkplug", "--v8-pool-size=1", "/opt/dms-operator/dms-operator.mjs"]
CMD ["run"]
