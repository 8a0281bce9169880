# Varnish as a CDN: checks signatures itself and keeps copies, which it revalidates each minute (guide "Behind a CDN"). For Varnish 7.1 with
# its digest module (Debian: varnish, varnish-vmod-digest). Reads SIGNING_SECRET of its environment: one secret, or during a
# replacement two, separated by a comma.
vcl 4.1;

import digest;
import std;

backend edge {
  .host = "127.0.0.1";
  .port = "3001";
}

# May purge: where the program runs that deletes tracks.
acl operators {
  "127.0.0.1";
  "::1";
}

sub vcl_recv {
  if (req.method == "PURGE") {
    if (client.ip !~ operators) { return (synth(405)); }
    # A path without variant and extension is that of all files of a track.
    ban("obj.http.x-host == " + req.http.host + " && obj.http.x-path ~ ^" + regsuball(req.url, "[^A-Za-z0-9/_-]", ".") + "[_.]");
    return (synth(200, "Purged"));
  }
  if (req.url !~ "^[^?]+\?(download=1&)?verify=[0-9]{1,12}-[A-Za-z0-9_-]{43}$") { return (synth(403)); }
  call check_signature;
  unset req.http.cookie;
  unset req.http.authorization;
  if (req.method == "GET" || req.method == "HEAD") { return (hash); }
  return (pass);
}

# The signature covers the address up to `verify`, and the time of the signature.
sub check_signature {
  set req.http.x-issued = regsub(req.url, "^.*verify=([0-9]+)-.*$", "\1");
  set req.http.x-mac = regsub(req.url, "^.*verify=[0-9]+-", "");
  set req.http.x-signed = regsub(req.url, "[?&]verify=.*$", "") + req.http.x-issued;
  if (std.getenv("SIGNING_SECRET") == "") { return (synth(503)); }
  # The secrets are in no header, because headers are logged.
  if (req.http.x-mac != digest.base64url_nopad_hex(
      digest.hmac_sha256(regsub(std.getenv("SIGNING_SECRET"), ",.*$", ""), req.http.x-signed))
    && req.http.x-mac != digest.base64url_nopad_hex(
      digest.hmac_sha256(regsub(std.getenv("SIGNING_SECRET"), "^.*,", ""), req.http.x-signed))) {
    return (synth(403));
  }
  # A clock may be up to 30 seconds behind.
  if (std.integer(req.http.x-issued, 0) > std.time2integer(now, 0) + 30) { return (synth(403)); }
  if (std.integer(req.http.x-issued, 0) < std.time2integer(now, 0) - 3600) { return (synth(410)); }
  unset req.http.x-issued;
  unset req.http.x-mac;
  unset req.http.x-signed;
}

# Without `verify`, so that all listeners share one copy.
sub vcl_hash {
  hash_data(req.http.host);
  hash_data(regsub(req.url, "[?&]verify=.*$", ""));
  return (lookup);
}

sub vcl_backend_response {
  if (beresp.status == 200) {
    # After that the edge is asked by the address of the next listener: 304, or 403 for a track that was deleted.
    set beresp.ttl = 60s;
    set beresp.grace = 0s;
    set beresp.keep = 1h;
    set beresp.http.x-host = bereq.http.host;
    set beresp.http.x-path = regsub(bereq.url, "\?.*$", "");
  } else {
    # A refusal is the answer to one address.
    set beresp.ttl = 0s;
    set beresp.uncacheable = true;
  }
  return (deliver);
}

sub vcl_deliver {
  unset resp.http.x-host;
  unset resp.http.x-path;
}
