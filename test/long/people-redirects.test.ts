import '../support/full-extent.ts';
import '../insurer/people/redirects.test.ts';
