//! Who may ask for what: requests under a foreign name or from a foreign page are refused, other machines need the token.
//!
//! A page of a stranger can make a browser on this machine ask us. Its requests carry the stranger's `Origin`, or, if the stranger's
//! name was made to point here, the stranger's name as `Host`; nothing of ours is given to either.

use crate::token::Token;
use hyper::header::{COOKIE, HOST, ORIGIN};
use hyper::{HeaderMap, StatusCode};
use std::net::SocketAddr;

/// The cookie that a page keeps the token in.
const COOKIE_NAME: &str = "ropinn";
/// The header that a page sends the token in.
const TOKEN_HEADER: &str = "x-ropinn-token";

/// Guards a server.
#[derive(Clone, Debug)]
pub struct Guard {
    /// Where it listens.
    pub address: SocketAddr,
    /// What its page knows.
    pub token: Token,
}

/// What is wrong with a request.
pub type Refusal = (StatusCode, &'static str);

impl Guard {
    /// Whether other machines can reach the server.
    pub fn is_open(&self) -> bool {
        !self.address.ip().is_loopback()
    }

    /// Refuses foreign names, foreign pages and, on addresses that others can reach, those who do not know the token.
    pub fn check(&self, headers: &HeaderMap, token: Option<&str>) -> Result<(), Refusal> {
        let host = self.own_host(headers).ok_or((
            StatusCode::MISDIRECTED_REQUEST,
            "this server does not go by that name; open the address it has printed",
        ))?;
        let origin = headers.get(ORIGIN).map(|value| value.to_str().unwrap_or_default());
        if origin.is_some_and(|origin| origin != format!("http://{host}")) {
            return Err((StatusCode::FORBIDDEN, "pages of others may not ask here"));
        }
        if self.is_open() && !self.knows_token(headers, token) {
            return Err((StatusCode::UNAUTHORIZED, "open the address with its token, as the server has printed it"));
        }
        Ok(())
    }

    /// Refuses to change anything for those who do not send the page's token in a header, which other pages cannot.
    pub fn check_change(&self, headers: &HeaderMap) -> Result<(), Refusal> {
        let sent = headers.get(TOKEN_HEADER).and_then(|value| value.to_str().ok());
        match sent.is_some_and(|sent| self.token.is(sent)) {
            true => Ok(()),
            false => Err((StatusCode::FORBIDDEN, "this needs the token of the page; load it again")),
        }
    }

    /// The name the server was asked under, if it is one of its own.
    fn own_host<'a>(&self, headers: &'a HeaderMap) -> Option<&'a str> {
        let mut hosts = headers.get_all(HOST).iter();
        let (host, None) = (hosts.next()?.to_str().ok()?, hosts.next()) else { return None };
        let ip = self.address.ip();
        if let Ok(asked) = host.parse::<SocketAddr>() {
            // A number cannot be made to point here by others, a name can.
            let is_own = asked.ip() == ip || ip.is_unspecified() || ip.is_loopback() && asked.ip().is_loopback();
            return (is_own && asked.port() == self.address.port()).then_some(host);
        }
        // Port 80 goes without saying.
        let (name, port) = host.rsplit_once(':').unwrap_or((host, "80"));
        let local = ip.is_loopback() || ip.is_unspecified();
        let is_own = local && name == "localhost" || name.parse() == Ok(ip);
        (is_own && port == self.address.port().to_string()).then_some(host)
    }

    fn knows_token(&self, headers: &HeaderMap, in_query: Option<&str>) -> bool {
        let cookies = headers.get_all(COOKIE).iter().filter_map(|value| value.to_str().ok());
        let in_cookies = cookies.flat_map(|all| all.split(';')).filter_map(|pair| pair.trim().split_once('='));
        let in_cookies = in_cookies.filter(|(name, _)| *name == COOKIE_NAME).map(|(_, value)| value);
        in_cookies.chain(in_query).any(|given| self.token.is(given))
    }

    /// The cookie for a page that has come with the token.
    pub fn cookie(&self) -> String {
        format!("{COOKIE_NAME}={}; HttpOnly; SameSite=Strict; Path=/", self.token.text())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn guard(address: &str) -> Guard {
        Guard { address: address.parse().expect("an address"), token: Token::new().expect("random numbers") }
    }

    fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
        pairs.iter().map(|(name, value)| (name.parse().expect("a name"), value.parse().expect("a value"))).collect()
    }

    #[test]
    fn names_of_others_are_refused() {
        let own = guard("127.0.0.1:8000");
        let asked = |host: &str| own.check(&headers(&[("host", host)]), None).map_err(|(status, _)| status.as_u16());
        for host in ["127.0.0.1:8000", "localhost:8000", "[::1]:8000"] {
            assert_eq!(asked(host), Ok(()), "{host}");
        }
        for host in [
            "evil.example:8000",
            "127.0.0.1:8001",
            "127.0.0.1",
            "localhost",
            "192.168.0.7:8000",
            "localhost.evil.example:8000",
            "",
        ] {
            assert_eq!(asked(host), Err(421), "{host}");
        }
        assert!(own.check(&headers(&[]), None).is_err(), "no name");
        let mut two = headers(&[("host", "127.0.0.1:8000")]);
        two.append("host", "evil.example".parse().expect("a value"));
        assert!(own.check(&two, None).is_err(), "two names");
    }

    #[test]
    fn pages_of_others_are_refused() {
        let own = guard("127.0.0.1:8000");
        let asked = |origin: &str| {
            let headers = headers(&[("host", "127.0.0.1:8000"), ("origin", origin)]);
            own.check(&headers, None).map_err(|(status, _)| status.as_u16())
        };
        assert_eq!(asked("http://127.0.0.1:8000"), Ok(()));
        for origin in ["http://evil.example", "http://127.0.0.1:8001", "https://127.0.0.1:8000", "null"] {
            assert_eq!(asked(origin), Err(403), "{origin}");
        }
    }

    #[test]
    fn other_machines_need_the_token() {
        let own = guard("192.168.0.7:8000");
        let host = ("host", "192.168.0.7:8000");
        assert_eq!(own.check(&headers(&[host]), None).map_err(|(status, _)| status.as_u16()), Err(401));
        assert!(own.check(&headers(&[host]), Some("0")).is_err());
        assert!(own.check(&headers(&[host]), Some(own.token.text())).is_ok());
        let cookie = own.cookie();
        let cookie = cookie.split(';').next().expect("a pair");
        assert!(own.check(&headers(&[host, ("cookie", &format!("a=b; {cookie}"))]), None).is_ok());
        assert!(own.check(&headers(&[host, ("cookie", "ropinn=guess")]), None).is_err());
        // On all addresses numbers are as good as any, names are not.
        let all = guard("0.0.0.0:8000");
        let token = Some(all.token.text());
        assert!(all.check(&headers(&[("host", "10.0.0.3:8000")]), token).is_ok());
        assert!(all.check(&headers(&[("host", "evil.example:8000")]), token).is_err());
    }

    #[test]
    fn changes_need_the_token_of_the_page_in_a_header() {
        let own = guard("127.0.0.1:8000");
        let cookie = own.cookie();
        assert!(own.check_change(&headers(&[("cookie", &cookie)])).is_err());
        assert!(own.check_change(&headers(&[(TOKEN_HEADER, "guess")])).is_err());
        assert!(own.check_change(&headers(&[(TOKEN_HEADER, own.token.text())])).is_ok());
    }
}
