# The one binary, in an image that holds nothing else: no shell, no package, no root.
# docker build -t forsooth:dev .
FROM golang:1.26-bookworm AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
RUN CGO_ENABLED=0 go build -trimpath -ldflags="-s -w" -o /out/forsooth ./cmd/forsooth && mkdir -p /out/data /out/tmp

FROM scratch
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/ca-certificates.crt
COPY --from=build --chown=65532:65532 /out/data /data
COPY --from=build --chown=65532:65532 /out/tmp /tmp
COPY --from=build /out/forsooth /forsooth
USER 65532:65532
ENV FORSOOTH_PROFILE=prod FORSOOTH_DATA=/data FORSOOTH_LISTEN=0.0.0.0:9464
EXPOSE 9464
# doctor looks at the whole mesh: unhealthy is also a container whose fellows are missing.
HEALTHCHECK --interval=30s --timeout=20s --start-period=60s CMD ["/forsooth", "doctor"]
ENTRYPOINT ["/forsooth"]
CMD ["--help"]
