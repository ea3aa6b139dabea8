import '../support/full-extent.ts';
import '../tls/http2-attacks.test.ts';
