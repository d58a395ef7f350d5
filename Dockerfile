# The application in a container: docker build -t pagedrift . && docker run -p 8710:8710 -p 8711:8711 -v pagedrift:/data pagedrift
# With Chromium: docker build --target browser -t pagedrift:browser .
# Its steps are in packaging/image.sh, which `make image-test` runs on a bare Debian.
FROM debian:bookworm-slim AS build
ARG EXTRAS=postgres,s3
COPY packaging/image.sh /usr/local/lib/pagedrift/image.sh
COPY pyproject.toml setup.py README.md LICENSE /source/
COPY src /source/src
RUN /usr/local/lib/pagedrift/image.sh build /source "$EXTRAS"

FROM build AS build-browser
RUN /opt/pagedrift/bin/pip install --quiet --no-cache-dir "/source[$EXTRAS,browser,vision]"

FROM debian:bookworm-slim AS runtime
COPY packaging/image.sh /usr/local/lib/pagedrift/image.sh
RUN /usr/local/lib/pagedrift/image.sh runtime
LABEL org.opencontainers.image.title="Pagedrift" \
      org.opencontainers.image.description="Keeps versions of web pages and tells what changed and whether it matters" \
      org.opencontainers.image.source="https://github.com/pagedrift/pagedrift" \
      org.opencontainers.image.documentation="https://github.com/pagedrift/pagedrift/tree/main/docs" \
      org.opencontainers.image.licenses="Apache-2.0"
# A container is reached from outside: the first start prints a password.
ENV PATH=/opt/pagedrift/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    PAGEDRIFT_HOME=/data \
    PAGEDRIFT_HOST=0.0.0.0
VOLUME /data
EXPOSE 8710 8711
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=10s --start-period=30s --retries=3 \
    CMD ["/usr/local/lib/pagedrift/image.sh", "health"]
WORKDIR /data
ENTRYPOINT ["/usr/bin/tini", "--", "pagedrift"]
CMD ["serve"]

# Chromium has its own sandbox where the engine lets it make namespaces (see compose.yaml); where not, the container is the sandbox.
FROM runtime AS browser
RUN /usr/local/lib/pagedrift/image.sh packages chromium fonts-noto-core
COPY --from=build-browser /opt/pagedrift /opt/pagedrift
USER 10001:10001

# The last stage is what `docker build` makes by itself.
FROM runtime AS application
COPY --from=build /opt/pagedrift /opt/pagedrift
USER 10001:10001
