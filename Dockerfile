# The program in a container, with what its agent uses:
#
#	docker build -t hermes-tui .
#	docker run -it --rm -v "$PWD:/project" -v hermes:/home/agent/.hermes -e OPENROUTER_API_KEY hermes-tui
#
# The container is the boundary then: commands are confined in it only where the kernel
# lets the container make namespaces, and what is mounted can be written.
FROM golang:1.26-bookworm AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
RUN CGO_ENABLED=0 go build -trimpath -ldflags='-s -w' -o /hermes-tui .

FROM debian:bookworm-slim
RUN apt-get update && \
    apt-get install -y --no-install-recommends bash ca-certificates curl git openssh-client python3 ripgrep tmux && \
    rm -rf /var/lib/apt/lists/* && \
    useradd --create-home --uid 1000 agent && install -d -o agent -g agent /home/agent/.hermes /project
COPY --from=build /hermes-tui /usr/local/bin/hermes-tui
USER agent
WORKDIR /project
ENTRYPOINT ["hermes-tui"]
