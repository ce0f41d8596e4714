"""The browser front end: one local HTTP server, one hub of events, plain files for the page.

    request.py     bytes of a request head -> Head, or Refused: no I/O
    guard.py       who may ask: Host, Origin, Sec-Fetch-Site, token, framing of the body: pure
    connection.py  one socket: read, check, dispatch, write, close
    routes.py      the table of the API
    service.py     session ids <-> agents; the server owns the runs
    hub.py         numbered events for any number of viewers, each with a bounded queue
    live.py        what is in flight, for a snapshot
    replay.py      log records -> the same events the page gets live
    server.py      `serve`: start, print the address, stop
"""
