/**
 * A certificate for localhost that is trusted only if a test says so, and its key. They protect nothing: only tests use
 * them.
 */
export const TEST_CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBmzCCAUGgAwIBAgIUT5LWIigro9Fx3uZmQMsp2oqfcCwwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyMDIwMjg0MFoYDzIxMjYxMDI3
MjAyODQwWjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAASvoJ1rxHJoYQZGCD8oQy7dJ6LRb4qEBN+FNDwXUOdah+otauXKWvcG
7cjeukkP466AaZsnE1+3o+6/Be9ZmJ4qo28wbTAdBgNVHQ4EFgQUmrVOGginqo4i
X2BnqcIKAzKuiLowHwYDVR0jBBgwFoAUmrVOGginqo4iX2BnqcIKAzKuiLowDwYD
VR0TAQH/BAUwAwEB/zAaBgNVHREEEzARgglsb2NhbGhvc3SHBH8AAAEwCgYIKoZI
zj0EAwIDSAAwRQIhANAcuc9XwjsoXdT3KnH/+sIq8+bmnaSE9F6ibfupj+tuAiBj
a8M+GJx/nl++748U0DQiWBa1uhqnIaOUVJSs9cW4iw==
-----END CERTIFICATE-----
`;

/** The key of TEST_CERTIFICATE. */
export const TEST_KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgZBx1IAp4rhxXIyE8
/NRBEeO7zCJQq7vzdF2vL6dNrAmhRANCAASvoJ1rxHJoYQZGCD8oQy7dJ6LRb4qE
BN+FNDwXUOdah+otauXKWvcG7cjeukkP466AaZsnE1+3o+6/Be9ZmJ4q
-----END PRIVATE KEY-----
`;

/** A key to which no certificate belongs. */
export const OTHER_KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgsSwRHD15cs8dWsl4
8hAGLamLnIcerqvQBd6V7l49Ah+hRANCAARWiO4hTOqgCxWdn6Y0ZAetYILNEGEG
cijdImWCRr9J9uxHKHmhddcLwT4AC6lWSMcI8K9al9CsNHYLDw2sJxXx
-----END PRIVATE KEY-----
`;
