"""Connects to each address on this machine, and prints whether its certificate was taken or refused."""

import socket
import ssl
import sys
from urllib.parse import urlsplit

context = ssl.create_default_context(cafile=sys.argv[1])
for address in sys.argv[2:]:
    url = urlsplit(address)
    with socket.create_connection(("127.0.0.1", url.port)) as plain:
        try:
            context.wrap_socket(plain, server_hostname=url.hostname).close()
            print("taken")
        except ssl.SSLCertVerificationError:
            print("refused")
