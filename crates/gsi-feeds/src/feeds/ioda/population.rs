//! People per country in millions, rounded (UN World Population Prospects, 2024). Smaller countries count as half a million.

use gsi_model::CountryCode;

pub const WORLD_MILLIONS: f64 = 8_160.0;
const SMALL: f64 = 0.5;

const MILLIONS: &str = "IN 1451 CN 1419 US 345 ID 283 PK 251 NG 233 BR 212 BD 174 RU 145 ET 132 MX 131 JP 124 EG 117 PH 116 \
    CD 109 VN 101 IR 92 TR 87 DE 85 TH 72 TZ 69 GB 69 FR 67 ZA 64 IT 59 KE 56 MM 54 CO 53 KR 52 SD 50 \
    UG 50 ES 48 DZ 47 IQ 46 AR 46 AF 43 YE 41 CA 40 PL 39 MA 38 AO 38 UA 38 UZ 36 MY 36 MZ 35 GH 34 \
    PE 34 SA 34 MG 32 CI 32 NP 30 CM 29 VE 28 NE 27 AU 27 KP 26 SY 25 ML 24 BF 24 TW 23 LK 23 MW 22 \
    ZM 21 KZ 21 TD 20 CL 20 RO 19 SO 19 SN 19 GT 18 NL 18 EC 18 KH 18 ZW 17 GN 15 BJ 14 RW 14 BI 14 \
    BO 12 TN 12 SS 12 HT 12 BE 12 JO 12 DO 11 AE 11 CU 11 HN 11 CZ 11 SE 11 TJ 11 PG 11 PT 10 AZ 10 \
    GR 10 HU 10 TG 10 IL 9 AT 9 BY 9 CH 9 SL 9 LA 8 TM 7 LY 7 HK 7 KG 7 PY 7 NI 7 BG 7 RS 7 CG 6 SV 6 \
    DK 6 SG 6 LB 6 FI 6 LR 6 NO 6 SK 6 PS 6 CF 5 NZ 5 MR 5 IE 5 OM 5 CR 5 KW 5 GE 4 HR 4 PA 5 UY 3 ER 4 \
    MN 3 BA 3 PR 3 MD 3 AM 3 LT 3 QA 3 JM 3 AL 3 GM 3 GA 3 NA 3 BW 3 LS 2 SI 2 LV 2 GW 2 MK 2 BH 2 GQ 2 \
    TT 2 TL 1 EE 1 MU 1 CY 1 SZ 1 DJ 1 FJ 1 KM 1 GY 1 BT 1";

pub fn millions(country: CountryCode) -> f64 {
    let mut words = MILLIONS.split(' ');
    while let (Some(code), Some(count)) = (words.next(), words.next()) {
        if code == country.as_str() {
            return count.parse().unwrap_or(SMALL);
        }
    }
    SMALL
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_complete() {
        let words: Vec<_> = MILLIONS.split(' ').collect();
        assert_eq!(words.len() % 2, 0);
        let mut total = 0.0;
        for pair in words.chunks(2) {
            assert!(CountryCode::from_iso2(pair[0]).is_some(), "{}", pair[0]);
            total += pair[1].parse::<f64>().unwrap();
        }
        assert!((0.97..1.03).contains(&(total / WORLD_MILLIONS)), "{total}");
    }
}
